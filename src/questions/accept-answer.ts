import { ToolkeepError } from "../errors.ts";
import type { QuestionRecord } from "../store/store.ts";

/** The longest answer, in characters. */
const MAX_ANSWER = 64 * 1024;

const APPROVAL_ANSWERS = ["once", "reject"];
const ACCESS_ANSWERS = ["grant", "refuse"];

/** Throws BAD_REQUEST for an answer that this kind of question does not take. */
export function acceptAnswer(question: QuestionRecord, answer: string): void {
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
}

function choicesOf(question: QuestionRecord): readonly string[] | undefined {
  if (question.kind === "approval") return APPROVAL_ANSWERS;
  if (question.kind === "access") return ACCESS_ANSWERS;
  const choices = question.kind === "human" ? question.details.choices : undefined;
  return Array.isArray(choices) && choices.length > 0 ? choices.map(String) : undefined;
}

function badAnswer(expected: string, got: string): ToolkeepError {
  return new ToolkeepError("BAD_REQUEST", `The question expects ${expected}; it got ${got.slice(0, 200)}.`);
}
