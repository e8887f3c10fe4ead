import type { Caller } from "../../contract/caller.ts";
import { failed } from "../../contract/define-tool.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { stableJson } from "../../lib/json.ts";
import { WANTS_ADMIN } from "./answers.ts";
import { questionDigest } from "./asking.ts";
import type { Questions } from "./questions.ts";

/** What an agent wants to do and only an admin may allow. */
export interface ApprovalRequest {
  readonly tool: string;
  /** What the person's yes is bound to: the arguments, and the state of what would be changed. */
  readonly bound: unknown;
  /** The question, with all that is needed to answer it. */
  readonly prompt: string;
  /** The arguments as people may see them. */
  readonly shown: object;
}

/** As many as anybody reads, and as a question names. */
const MAX_TO_ALLOW = 20;

/**
 * How a call ends that wants more allowed than a person can be shown: what they do not see they cannot agree to. The question names
 * either everything that is wanted or everything that is given.
 */
export function tooManyToAllow(
  wanted: readonly string[],
  given: readonly (readonly unknown[])[],
): ToolResult | undefined {
  const isShown = [wanted.length, Math.max(...given.map(({ length }) => length))].some(
    (count) => count <= MAX_TO_ALLOW,
  );
  if (isShown) return undefined;
  return failed(
    `A person would have to allow ${wanted.length} things that you do not have yourself; at most ${MAX_TO_ALLOW} can be asked for at a time. Give fewer.`,
  );
}

/**
 * Undefined once an admin has agreed, which uses their answer up, and for an admin; otherwise how the
 * call ends. Never waits: the same call picks the answer up.
 */
export async function agreement(
  questions: Pick<Questions, "ask">,
  { tool, bound, prompt, shown }: ApprovalRequest,
  { agentId, agentName, operator, scopes }: Caller,
): Promise<ToolResult | undefined> {
  // A person who is no admin can agree to nothing that only an admin may do, not even with themselves.
  if (operator && scopes !== null) return failed("Only an admin may do this.");
  if (operator) return undefined;
  const answer = await questions.ask(
    {
      kind: "approval",
      agentId,
      agentName,
      digest: questionDigest(agentId, tool, bound),
      prompt,
      details: { tool, arguments: stableJson(shown), ...WANTS_ADMIN },
    },
    { waitMs: 0 },
  );
  switch (answer.kind) {
    case "answered":
      return undefined;
    case "rejected":
      return failed(`A person said no${answer.reason ? `: ${answer.reason}` : ""}. Do something else.`);
    case "headless":
      return failed(
        "A person would have to agree, and nobody watches over you (headless). Do something else.",
      );
    case "dismissed":
      return failed("A person dismissed the question. Do something else.");
    case "too_many":
      return failed(`You already have ${answer.limit} unanswered questions. Wait until some are answered.`);
    case "too_long":
      return failed(
        `A person would have to agree, and this is too long to be shown to them whole (${answer.limit} characters). Do it in several smaller calls.`,
      );
    case "pending":
      return {
        kind: "needs_input",
        questionId: answer.id,
        message: `An admin has to agree first and is asked (${answer.id}: toolkeep approval approve ${answer.id}). Call ${tool} again with the same arguments then.`,
      };
  }
}
