import type { QuestionView } from "../../api/contract.ts";
import type { Tone } from "../../ui/badge.tsx";

export const KIND_LABELS: Readonly<Record<QuestionView["kind"], string>> = {
  approval: "Approval",
  access: "Tool request",
  secret: "Secret request",
  human: "Question",
  parent: "Question to agent",
};

/** The title in the list: the tool, the secret, or the question itself. */
export function formatSubject({ kind, details, prompt }: QuestionView): string {
  if (Array.isArray(details.calls)) return `${details.calls.length} calls`;
  if (kind === "approval" || kind === "access") return String(details.tool ?? prompt);
  return kind === "secret" ? String(details.name ?? prompt) : prompt;
}

/** The second line in the list: arguments, reason or prompt. */
export function formatSummary({ kind, details, prompt }: QuestionView): string {
  if (Array.isArray(details.calls))
    return details.calls.map((call: { tool?: unknown }) => String(call.tool)).join(", ");
  if (kind === "approval") return String(details.arguments ?? "");
  if (kind === "access") return String(details.reason ?? "");
  return kind === "secret" ? prompt : "";
}

/** Whether `details.answers` offers this answer, beyond "once" and "reject". */
export function acceptsAnswer({ details }: QuestionView, answer: "conversation" | "always"): boolean {
  return Array.isArray(details.answers) && details.answers.includes(answer);
}

const ANSWER_LABELS: Readonly<Record<string, readonly [string, Tone]>> = {
  once: ["Allowed once", "ok"],
  conversation: ["Allowed in conversation", "ok"],
  always: ["Always allowed", "ok"],
  reject: ["Rejected", "bad"],
  grant: ["Granted", "ok"],
  refuse: ["Refused", "bad"],
};

/** The decision as label and tone. A free-text answer is only shown with its question. */
export function describeDecision(
  { kind, answer, state, expiresAt }: QuestionView,
  now: number,
): readonly [string, Tone] {
  // The question may have expired since it was fetched.
  if (state === "expired" || (state === "pending" && expiresAt <= now)) return ["Expired", "neutral"];
  if (state === "pending") return ["Pending", "warn"];
  if (state === "dismissed" || answer === null) return ["Dismissed", "neutral"];
  const known = kind === "approval" || kind === "access" ? ANSWER_LABELS[answer] : undefined;
  return known ?? (kind === "secret" ? ["Saved", "ok"] : ["Answered", "ok"]);
}
