import { failed } from "../../contract/define-native-tool.ts";
import type { ToolContext, ToolResult } from "../../contract/tool.ts";
import { withHeartbeat } from "../../lib/flow/heartbeat.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { type QuestionRequest, questionDigest } from "./question-request.ts";
import type { Questions } from "./questions.ts";

/** How long a call of a tool that asks may take in total. */
export const ASKING_TIMEOUT_MS = 600_000;
/** Shorter, so that a call that waits as long as possible can still say how to pick the answer up. */
const MAX_WAIT_MS = ASKING_TIMEOUT_MS - 5_000;

export interface AskDeps {
  readonly questions: Pick<Questions, "ask">;
  readonly settings: () => Pick<Settings, "questions">;
}

/** A question that a tool asks somebody on behalf of its caller. */
export interface ToolQuestion {
  readonly tool: string;
  /** Calls with equal arguments share the question, so that calling again picks its answer up. */
  readonly args: object;
  readonly kind: QuestionRequest["kind"];
  readonly prompt: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Who is asked, for messages to the caller: `a person`. */
  readonly who: string;
}

/** Asks and waits as long as the settings say. The tool only renders the answer. */
export async function ask(
  deps: AskDeps,
  question: ToolQuestion,
  context: ToolContext,
  onAnswer: (answer: string) => ToolResult,
): Promise<ToolResult> {
  const { caller, signal } = context;
  const { kind, prompt, details = {}, who } = question;
  const digest = questionDigest(caller.agentId, question.tool, question.args);
  const request = { kind, agentId: caller.agentId, agentName: caller.agentName, digest, prompt, details };
  const waitMs = Math.min(deps.settings().questions.waitMs, MAX_WAIT_MS);
  const waiting = deps.questions.ask(request, { waitMs, signal });
  const answer = await withHeartbeat(context, () => `waiting for ${who} to answer`, waiting);
  switch (answer.kind) {
    case "answered":
      return onAnswer(answer.answer);
    case "dismissed":
    case "rejected":
    case "headless":
      return failed(
        `The question was dismissed: ${who} will not answer it. Continue without the answer, or say that you cannot.`,
      );
    case "too_long":
      return failed(`The question is longer than ${answer.limit} characters. Ask for less at a time.`);
    case "too_many":
      return failed(
        `You already have ${answer.limit} unanswered questions. Wait until ${who} has answered some of them.`,
      );
    case "pending":
      return {
        kind: "needs_input",
        questionId: answer.id,
        message:
          `Nobody has answered yet. The question is kept as ${answer.id}; ${who} answers it with \`toolkeep question answer ${answer.id}\`. ` +
          `Call ${question.tool} again with the same arguments to pick up the answer.`,
      };
  }
}
