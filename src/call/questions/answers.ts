import { ToolkeepError } from "../../contract/errors.ts";
import type { QuestionRecord } from "../../machine/db/store.ts";
import type { AnswerMore } from "../../questions/questions.ts";

/** The longest answer, in characters. */
const MAX_ANSWER = 64 * 1024;
const MAX_REASON = 1_000;

/** Always taken of an approval; `details.answers` may name more. */
const APPROVAL_ANSWERS = ["once", "reject"];
const ACCESS_ANSWERS = ["grant", "refuse"];

/** Throws BAD_REQUEST for an answer that this kind of question does not take. */
export function acceptAnswer(question: QuestionRecord, answer: string, more: AnswerMore = {}): void {
  if (answer === "") throw badAnswer("an answer", "an empty one");
  if (answer.length > MAX_ANSWER)
    throw badAnswer(`at most ${MAX_ANSWER} characters`, `${answer.length} characters`);
  const choices = choicesOf(question);
  // A secret is never repeated in a message, and only a secret has no choices to compare it with.
  if (choices && !choices.includes(answer)) {
    throw badAnswer(
      `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
      JSON.stringify(answer),
    );
  }
  acceptMore(question, answer, more);
}

function acceptMore(
  { kind, details }: QuestionRecord,
  answer: string,
  { reason, pattern }: AnswerMore,
): void {
  if (reason !== undefined && (kind !== "approval" || answer !== "reject"))
    throw badAnswer("a reason only with the rejection of an approval", "one with another answer");
  if (reason !== undefined && reason.length > MAX_REASON)
    throw badAnswer(`a reason of at most ${MAX_REASON} characters`, `${reason.length} characters`);
  if (pattern === undefined) return;
  if (answer !== "always" || Array.isArray(details.calls))
    throw badAnswer("a pattern only with always, for a single call", `one with ${JSON.stringify(answer)}`);
}

/** Those that an approval takes. */
export function approvalAnswers({ details }: Pick<QuestionRecord, "details">): readonly string[] {
  return Array.isArray(details.answers) ? details.answers.map(String) : APPROVAL_ANSWERS;
}

function choicesOf(question: QuestionRecord): readonly string[] | undefined {
  const { kind, details } = question;
  if (kind === "approval") return approvalAnswers(question);
  if (kind === "access") return ACCESS_ANSWERS;
  const choices = kind === "human" ? details.choices : undefined;
  return Array.isArray(choices) && choices.length > 0 ? choices.map(String) : undefined;
}

function badAnswer(expected: string, got: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `The question expects ${expected}; it got ${got.slice(0, 200)}.`);
}
