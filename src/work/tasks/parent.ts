import { z } from "zod";
import type { Identity } from "../../call/identity/identity.ts";
import { ASKING_TIMEOUT_MS, type AskDeps, ask } from "../../call/questions/ask.ts";
import { failed, floorTool, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { MessageTable } from "./tables.ts";

export interface ParentDeps extends AskDeps {
  readonly identity: Pick<Identity, "agentById">;
  readonly store: { readonly messages: MessageTable };
  readonly clock: Clock;
  readonly newId: NewId;
}

const MAX_UNREAD = 200;
const NO_PARENT =
  "There is no parent agent: this tool is for agents that work for another one. Use prompt_human or notify.";

export function requestInputTool(deps: ParentDeps): Tool {
  const name = "request_input";
  return floorTool({
    name,
    title: "Ask the parent agent",
    domain: "tasks",
    description:
      "Ask the agent that gave you this work, and wait for the answer. Use it when the task is unclear or you need a decision. " +
      "When no answer comes in time the question stays open: call again with the same arguments to pick the answer up.",
    input: z.object({
      question: z.string().min(1).max(5_000).describe("The question, with all that is needed to answer it."),
    }),
    flags: { concurrencySafe: true },
    scope: "tools",
    availability: "sub-agent",
    timeoutMs: ASKING_TIMEOUT_MS,
    async run(args, context) {
      const { parentId } = context.caller;
      if (parentId === null) return failed(NO_PARENT);
      const question = {
        tool: name,
        args,
        kind: "parent" as const,
        prompt: args.question,
        details: { parentId },
        who: "the parent agent or a person",
      };
      return ask(deps, question, context, (answer) => output(answer, { answer }));
    },
  });
}

export function reportToParentTool({ identity, store, clock, newId }: ParentDeps): Tool {
  return floorTool({
    name: "report_to_parent",
    title: "Report to the parent agent",
    domain: "tasks",
    description:
      "Send a message to the agent that gave you this work: a result, or how far you are. It does not wait; to get an answer use request_input.",
    input: z.object({ message: z.string().min(1).max(50_000).describe("The report.") }),
    scope: "tools",
    availability: "sub-agent",
    async run({ message }, { caller }) {
      const parent = caller.parentId === null ? undefined : identity.agentById(caller.parentId);
      if (!parent) return failed(NO_PARENT);
      const unread = await store.messages.list({ toAgentId: parent.id, unread: true });
      if (unread.length >= MAX_UNREAD) {
        return failed(
          `${parent.name} has ${unread.length} unread messages; no more are taken until it has read some. Put the result into a file and try again later.`,
        );
      }
      const id = newId("msg");
      await store.messages.create({
        id,
        fromAgentId: caller.agentId,
        toAgentId: parent.id,
        text: message,
        createdAt: clock(),
        readAt: null,
      });
      return output(`Reported to ${parent.name} as ${id}.`, { id }, { wrote: [id] });
    },
  });
}
