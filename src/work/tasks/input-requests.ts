import { z } from "zod";
import type { QuestionRecord } from "../../call/questions/contract.ts";
import type { Questions } from "../../call/questions/questions.ts";
import type { Caller } from "../../contract/caller.ts";
import { failed, grantedTool, output } from "../../contract/define-native-tool.ts";
import type { Tool } from "../../contract/tool.ts";
import { iso } from "../../lib/text/time-text.ts";
import { agentNameOf, type SubAgentDeps } from "./sub-agents.ts";

export interface InputRequestDeps extends SubAgentDeps {
  readonly questions: Pick<Questions, "list" | "answer">;
}

const DOMAIN = { domain: "tasks", scope: "tools" } as const;
const MOST = 50;

/** Questions that sub-agents ask with request_input, and the answers. A person may answer first. */
export function inputRequestTools(deps: InputRequestDeps): readonly Tool[] {
  return [listTool(deps), answerTool(deps)];
}

/** Lists unanswered questions to the caller, oldest first, from one sub-agent or all. */
export async function openRequests(caller: Caller, deps: InputRequestDeps, agentId?: string) {
  const pending = await deps.questions.list({ state: "pending" });
  return pending
    .filter((question) => isAskedOf(question, caller))
    .filter((question) => agentId === undefined || question.agentId === agentId)
    .map(({ id, agentId, prompt, createdAt, expiresAt }) => ({
      agentId,
      shown: {
        id,
        agent: agentNameOf(deps, agentId),
        question: prompt,
        asked_at: iso(createdAt),
        expires_at: iso(expiresAt),
      },
    }));
}

function listTool(deps: InputRequestDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "list_input_requests",
    title: "List what sub-agents ask",
    description:
      "List what your sub-agents ask you with request_input and nobody has answered yet, oldest first. They wait for it: answer with answer_input_request.",
    input: z.object({}),
    flags: { readOnly: true, concurrencySafe: true },
    async run(_, { caller }) {
      const all = await openRequests(caller, deps);
      const given = all.slice(0, MOST);
      const requests = given.map(({ shown }) => shown);
      const lines = requests.map(({ id, agent, question }) => `${id} (${agent}): ${question}`);
      const rest = all.length > MOST ? [`(${all.length - MOST} more; answer some of these first)`] : [];
      return output(
        [...lines, ...rest].join("\n") || "No sub-agent asks anything.",
        { input_requests: requests, total: all.length },
        { gave: given.map(({ agentId }) => agentId) },
      );
    },
  });
}

function answerTool(deps: InputRequestDeps): Tool {
  return grantedTool({
    ...DOMAIN,
    name: "answer_input_request",
    title: "Answer a sub-agent",
    description: "Answer what one of your sub-agents asks with request_input. An answer cannot be changed.",
    input: z.object({
      id: z
        .string()
        .min(1)
        .max(100)
        .describe("Of the question, such as qst_…, as list_input_requests gives it."),
      answer: z.string().min(1).max(20_000).describe("What it should know."),
    }),
    async run({ id, answer }, { caller }) {
      const pending = await deps.questions.list({ state: "pending" });
      const question = pending.find((candidate) => candidate.id === id);
      if (!question || !isAskedOf(question, caller))
        return failed(
          `No sub-agent of yours waits for an answer to ${JSON.stringify(id)}. See list_input_requests.`,
        );
      await deps.questions.answer(id, answer, { by: caller.agentName, from: "agent", role: "operator" });
      const agent = agentNameOf(deps, question.agentId);
      return output(`Answered ${agent}.`, { id, agent, answered: true });
    },
  });
}

/** Only what a sub-agent asks its parent: everything else is for people to answer. */
function isAskedOf({ kind, details }: QuestionRecord, { operator, agentId }: Caller): boolean {
  return kind === "parent" && (operator || details.parentId === agentId);
}
