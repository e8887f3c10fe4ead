import type { Caller } from "../../contract/caller.ts";
import { failed } from "../../contract/define-tool.ts";
import type { ToolResult } from "../../contract/tool.ts";
import { stableJson } from "../../lib/json.ts";
import { NEEDS_ADMIN } from "./answers.ts";
import { questionDigest } from "./question-request.ts";
import type { Questions } from "./questions.ts";

/** Something that an agent wants to do and only an admin may allow. */
export interface ApprovalRequest {
  readonly tool: string;
  /** What the approval is bound to: the arguments, and the state of what would change. */
  readonly bound: unknown;
  /** The question, with everything needed to answer it. */
  readonly prompt: string;
  /** The arguments as people may see them. */
  readonly visibleArguments: object;
}

/** The most that a person reads and a question lists. */
const MAX_LISTED = 20;

/**
 * Ends a call that needs approval for more than a person can be shown, because nobody can agree to what they do not
 * see. The question lists either everything that is wanted or everything that is given.
 */
export function refuseTooMany(
  wanted: readonly string[],
  given: readonly (readonly unknown[])[],
): ToolResult | undefined {
  const isShown = [wanted.length, Math.max(...given.map(({ length }) => length))].some(
    (count) => count <= MAX_LISTED,
  );
  if (isShown) return undefined;
  return failed(
    `A person would have to approve ${wanted.length} things that you do not have yourself; at most ${MAX_LISTED} can be approved at a time. Give fewer.`,
  );
}

/**
 * Resolves with undefined for an admin, and once an admin has agreed, which uses their answer up; otherwise with how
 * the call ends. Never waits: the same call later picks the answer up.
 */
export async function requireAgreement(
  questions: Pick<Questions, "ask">,
  { tool, bound, prompt, visibleArguments }: ApprovalRequest,
  { agentId, agentName, operator, scopes }: Caller,
): Promise<ToolResult | undefined> {
  // A person who is not an admin cannot approve what only an admin may do, not even for themselves.
  if (operator && scopes !== null) return failed("Only an admin may do this.");
  if (operator) return undefined;
  const answer = await questions.ask(
    {
      kind: "approval",
      agentId,
      agentName,
      digest: questionDigest(agentId, tool, bound),
      prompt,
      details: { tool, arguments: stableJson(visibleArguments), ...NEEDS_ADMIN },
    },
    { waitMs: 0 },
  );
  switch (answer.kind) {
    case "answered":
      return undefined;
    case "rejected":
      return failed(`A person rejected this${answer.reason ? `: ${answer.reason}` : ""}. Do something else.`);
    case "headless":
      return failed(
        "This needs a person's approval, and you are headless: nobody is asked. Do something else.",
      );
    case "dismissed":
      return failed("A person dismissed the question. Do something else.");
    case "too_many":
      return failed(`You already have ${answer.limit} unanswered questions. Wait until some are answered.`);
    case "too_long":
      return failed(
        `This needs a person's approval, but it is too long to be shown to them in full (at most ${answer.limit} characters). Do it in several smaller calls.`,
      );
    case "pending":
      return {
        kind: "needs_input",
        questionId: answer.id,
        message: `An admin has to agree first and has been asked (${answer.id}: toolkeep approval approve ${answer.id}). Then call ${tool} again with the same arguments.`,
      };
  }
}
