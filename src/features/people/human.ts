import { ASKING_TIMEOUT_MS, type AskDeps, ask } from "../../call/questions/ask.ts";
import type { NotificationRecord } from "../../call/questions/contract.ts";
import type { NotificationTable } from "../../call/questions/tables.ts";
import { checkBindings } from "../../call/vault/bindings.ts";
import { SECRET_NAME } from "../../call/vault/placeholder.ts";
import type { Vault } from "../../call/vault/vault.ts";
import type { Caller } from "../../contract/caller.ts";
import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import type { Events } from "../../contract/events.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";

export interface HumanDeps extends AskDeps {
  readonly notifications: NotificationTable;
  readonly vault: Pick<Vault, "names">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

const MAX_UNREAD = 100;
const PERSON = "a person";
const PATTERNS = { type: "array", maxItems: 20, items: { type: "string", minLength: 1, maxLength: 200 } };

export function promptHumanTool(deps: HumanDeps): Tool {
  const name = "prompt_human";
  return defineTool<{ readonly question: string; readonly choices?: readonly string[] }>({
    name,
    title: "Ask a person",
    domain: "people",
    description:
      "Ask the person you work for and wait for the answer. Use it when only they can decide or know. " +
      "When nobody answers in time the question stays open: call again with the same arguments to pick the answer up.",
    properties: {
      question: {
        type: "string",
        minLength: 1,
        maxLength: 5_000,
        description: "The question, with all that is needed to answer it.",
      },
      choices: {
        type: "array",
        minItems: 2,
        maxItems: 20,
        uniqueItems: true,
        items: { type: "string", minLength: 1, maxLength: 200 },
        description: "The possible answers, when only these will do.",
      },
    },
    required: ["question"],
    flags: { concurrencySafe: true },
    scope: "human",
    timeoutMs: ASKING_TIMEOUT_MS,
    run(args, context) {
      const { question: prompt, choices } = args;
      const details = choices ? { choices } : {};
      return ask(deps, { tool: name, args, kind: "human", prompt, details, who: PERSON }, context, (answer) =>
        output(answer, { answer }),
      );
    },
  });
}

export function promptSecretTool(deps: HumanDeps): Tool {
  const tool = "prompt_secret";
  return defineTool<SecretRequest>({
    name: tool,
    title: "Ask a person for a secret",
    domain: "people",
    description:
      "Ask a person for a secret such as an API key or password. The value goes to the vault and is never shown to you; you learn only that it is stored under its name. " +
      "Say which tools you will use it with and at which hosts: in their arguments {{secret:NAME}} then stands for the value, for you alone. " +
      "When nobody answers in time the question stays open: call again with the same arguments.",
    properties: {
      name: {
        type: "string",
        pattern: SECRET_NAME,
        description: "The name to store it under: capitals, digits and _, such as GITHUB_TOKEN.",
      },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: 2_000,
        description: "What it is needed for; shown to the person.",
      },
      replace: {
        type: "boolean",
        description: "Ask even though a secret of this name is stored, to replace it. Default false.",
      },
      tools: {
        ...PATTERNS,
        description:
          "The tools that are to get it in their arguments, such as http_request. None: only what people set up uses it.",
      },
      hosts: { ...PATTERNS, description: "The hosts that those calls may go to, such as api.github.com." },
    },
    required: ["name", "reason"],
    flags: { concurrencySafe: true },
    scope: "human",
    timeoutMs: ASKING_TIMEOUT_MS,
    async run(args, context) {
      const { name, reason, replace = false, tools = [], hosts = [] } = args;
      const problem = checkBindings({ tools, hosts, agents: null });
      if (problem !== undefined) return failed(`${problem}.`);
      const known = deps.vault.names().includes(name);
      if (known && !replace) return output(`The secret ${name} is already stored.`, { name, stored: true });
      const prompt = `${known ? "A new value for the secret" : "The secret"} ${name}: ${reason}${describeUse(args, context.caller)}`;
      const details = tools.length === 0 ? { name } : { name, tools, hosts };
      return ask(deps, { tool, args, kind: "secret", prompt, details, who: PERSON }, context, () =>
        output(`The secret ${name} is stored.`, { name, stored: true }),
      );
    },
  });
}

interface SecretRequest {
  readonly name: string;
  readonly reason: string;
  readonly replace?: boolean;
  readonly tools?: readonly string[];
  readonly hosts?: readonly string[];
}

/** Tells the person who enters the value what it will be used for. */
function describeUse({ tools = [], hosts = [] }: SecretRequest, { agentName }: Caller): string {
  if (tools.length === 0) return "";
  const targets = hosts.length === 0 ? "calls that go to no host" : `calls to ${hosts.join(", ")}`;
  return `\n${agentName} may then use it with ${tools.join(", ")}, in ${targets}.`;
}

interface NoticeArgs {
  readonly title: string;
  readonly body?: string;
  readonly level?: NotificationRecord["level"];
}

export function notifyTool({ notifications, events, clock, newId }: HumanDeps): Tool {
  return defineTool<NoticeArgs>({
    name: "notify",
    title: "Notify a person",
    domain: "people",
    description:
      "Leave a notification for the person you work for: something is done, or they should know it. It does not wait for them; to get an answer use prompt_human.",
    properties: {
      title: { type: "string", minLength: 1, maxLength: 200, description: "One line." },
      body: { type: "string", maxLength: 5_000, description: "More, where one line is not enough." },
      level: { enum: ["info", "warning", "error"], description: "Default info." },
    },
    required: ["title"],
    flags: { concurrencySafe: true },
    scope: "human",
    async run({ title, body = "", level = "info" }, { caller }) {
      const unread = (await notifications.list()).filter((notice) => notice.agentId === caller.agentId);
      if (unread.length >= MAX_UNREAD) {
        return failed(
          `You have ${unread.length} notifications that nobody has dismissed yet; at most ${MAX_UNREAD} are kept. Wait, or use prompt_human for what matters.`,
        );
      }
      const id = newId("ntf");
      const createdAt = clock();
      await notifications.create({
        id,
        agentId: caller.agentId,
        level,
        title,
        body,
        createdAt,
        dismissedAt: null,
      });
      events.emit("notification.raised", { id, title });
      return output(`Notified as ${id}.`, { id });
    },
  });
}
