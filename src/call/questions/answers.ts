import { covers, type Role } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { RulePattern } from "../../machine/config/settings.ts";
import type { QuestionRecord, Settlement } from "../../machine/db/store.ts";

/** Who answers, from where, and what they may. */
export interface Answerer extends Pick<Settlement, "by" | "from"> {
  readonly role: Role;
}

/** What comes with an answer. */
export interface AnswerMore {
  /** Of a rejection, for the caller. */
  readonly reason?: string;
  /** Of `always`: narrows the rule to calls whose arguments fit. */
  readonly pattern?: RulePattern;
}

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
  if (kind !== "approval" || answer !== "always" || Array.isArray(details.calls))
    throw badAnswer(
      "a pattern only with always, for the approval of a single call",
      "one with another answer",
    );
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

/** In the details of an approval: whoever says yes does what only an admin may. */
export const WANTS_ADMIN = { wants: "admin" } as const;

type RoleFacts = Pick<QuestionRecord, "kind" | "details">;
/** Whether there is a secret of this name. */
type IsKept = (secret: string) => boolean;

/** The role that a yes wants; a no, and an answer in words, is for everybody who answers. */
export function wantedRole({ kind, details }: RoleFacts, isKept: IsKept): Role {
  if (kind === "access") return "admin";
  if (kind === "secret") return isKept(String(details.name)) ? "admin" : "operator";
  return kind === "approval" && details.wants === WANTS_ADMIN.wants ? "admin" : "operator";
}

/** Throws FORBIDDEN for an answer that is more than this role may give. */
export function checkRole(question: RoleFacts, answer: string, role: Role, isKept: IsKept): void {
  const { kind } = question;
  if (kind === "approval" && answer === "always" && !covers(role, "admin")) {
    throw new ToolkeepError(
      "FORBIDDEN",
      "always writes a rule for all later calls, which only an admin may",
      { remedy: "Approve it once or for the conversation, or ask an admin." },
    );
  }
  const isNo = (kind === "approval" && answer === "reject") || (kind === "access" && answer === "refuse");
  if (isNo || covers(role, wantedRole(question, isKept))) return;
  throw new ToolkeepError("FORBIDDEN", WHY[kind as keyof typeof WHY], {
    remedy: "Ask an admin to answer, or say no.",
  });
}

const WHY = {
  approval: "with this yes somebody does what only an admin may",
  access: "grant gives the agent a tool for good, which only an admin may",
  secret: "there is a secret of this name already, which only an admin may replace",
};
