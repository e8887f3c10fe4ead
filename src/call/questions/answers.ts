import { covers, type Role } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { RulePattern } from "../../machine/config/settings.ts";
import type { QuestionRecord, Settlement } from "./contract.ts";

/** Who answers, from where, and with which role. */
export interface Answerer extends Pick<Settlement, "by" | "from"> {
  readonly role: Role;
}

/** What may come with an answer. */
export interface AnswerExtras {
  /** For a rejection: shown to the caller. */
  readonly reason?: string;
  /** For `always`: narrows the rule to calls whose arguments match. */
  readonly pattern?: RulePattern;
}

/** The longest answer, in characters. */
const MAX_ANSWER = 64 * 1024;
const MAX_REASON = 1_000;

/** Every approval accepts these; `details.answers` may list more. */
const APPROVAL_ANSWERS = ["once", "reject"];
const ACCESS_ANSWERS = ["grant", "refuse"];

/** Throws BAD_REQUEST for an answer that this kind of question does not accept. */
export function checkAnswer(question: QuestionRecord, answer: string, extras: AnswerExtras = {}): void {
  if (answer === "") throw badAnswer("an answer", "an empty one");
  if (answer.length > MAX_ANSWER)
    throw badAnswer(`at most ${MAX_ANSWER} characters`, `${answer.length} characters`);
  const choices = choicesOf(question);
  // Secrets have no choices, so this message never repeats one.
  if (choices && !choices.includes(answer)) {
    throw badAnswer(
      `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`,
      JSON.stringify(answer),
    );
  }
  checkExtras(question, answer, extras);
}

function checkExtras(
  { kind, details }: QuestionRecord,
  answer: string,
  { reason, pattern }: AnswerExtras,
): void {
  if (reason !== undefined && (kind !== "approval" || answer !== "reject"))
    throw badAnswer("a reason only when an approval is rejected", "one with another answer");
  if (reason !== undefined && reason.length > MAX_REASON)
    throw badAnswer(`a reason of at most ${MAX_REASON} characters`, `${reason.length} characters`);
  if (pattern === undefined) return;
  if (kind !== "approval" || answer !== "always" || Array.isArray(details.calls))
    throw badAnswer(
      "a pattern only with always, for the approval of a single call",
      "one with another answer",
    );
}

/** The answers that an approval accepts. */
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

/** In the details of an approval: approving it allows what only an admin may do. */
export const NEEDS_ADMIN = { wants: "admin" } as const;

type RoleFacts = Pick<QuestionRecord, "kind" | "details">;
/** Whether a secret of this name exists. */
type HasSecret = (secret: string) => boolean;

/** The role that is needed to say yes. Everybody who may answer can say no or answer in words. */
export function requiredRole({ kind, details }: RoleFacts, hasSecret: HasSecret): Role {
  if (kind === "access") return "admin";
  if (kind === "secret") return hasSecret(String(details.name)) ? "admin" : "operator";
  return kind === "approval" && details.wants === NEEDS_ADMIN.wants ? "admin" : "operator";
}

/** Throws FORBIDDEN for an answer that this role may not give. */
export function checkRole(question: RoleFacts, answer: string, role: Role, hasSecret: HasSecret): void {
  const { kind } = question;
  if (kind === "approval" && answer === "always" && !covers(role, "admin")) {
    throw new ToolkeepError(
      "FORBIDDEN",
      "always writes a rule for all later calls, which only an admin may do",
      { remedy: "Approve it once or for the conversation, or ask an admin." },
    );
  }
  const isNo = (kind === "approval" && answer === "reject") || (kind === "access" && answer === "refuse");
  if (isNo || covers(role, requiredRole(question, hasSecret))) return;
  throw new ToolkeepError("FORBIDDEN", FORBIDDEN_REASONS[kind as keyof typeof FORBIDDEN_REASONS], {
    remedy: "Ask an admin to answer, or reject it.",
  });
}

const FORBIDDEN_REASONS = {
  approval: "approving this allows what only an admin may do",
  access: "grant gives the agent a tool permanently, which only an admin may do",
  secret: "a secret of this name already exists, and only an admin may replace it",
};
