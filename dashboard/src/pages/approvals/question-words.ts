import type { QuestionView } from "../../api/contract.ts";
import type { Tone } from "../../ui/badge.tsx";

export const KINDS: Readonly<Record<QuestionView["kind"], string>> = {
  approval: "May it run?",
  access: "Wants a tool",
  secret: "Wants a secret",
  human: "Asks you",
  parent: "Asks its agent",
};

/** What stands in the list: the tool that is called, or what is asked. */
export function subjectOf({ kind, details, prompt }: QuestionView): string {
  if (Array.isArray(details.calls)) return `${details.calls.length} calls`;
  if (kind === "approval" || kind === "access") return String(details.tool ?? prompt);
  return kind === "secret" ? String(details.name ?? prompt) : prompt;
}

/** What it is about, on one line. */
export function lineOf({ kind, details, prompt }: QuestionView): string {
  if (Array.isArray(details.calls))
    return details.calls.map((call: { tool?: unknown }) => String(call.tool)).join(", ");
  if (kind === "approval") return String(details.arguments ?? "");
  if (kind === "access") return String(details.reason ?? "");
  return kind === "secret" ? prompt : "";
}

/** What `details.answers` lets people say beside once and no. */
export function takes({ details }: QuestionView, answer: "conversation" | "always"): boolean {
  return Array.isArray(details.answers) && details.answers.includes(answer);
}

const ANSWERS: Readonly<Record<string, readonly [string, Tone]>> = {
  once: ["Let run once", "ok"],
  conversation: ["Allowed for the conversation", "ok"],
  always: ["Always allowed", "ok"],
  reject: ["Rejected", "bad"],
  grant: ["Given", "ok"],
  refuse: ["Refused", "bad"],
};

/** How it was decided. Answers in people's own words stay with the question. */
export function decisionOf(
  { kind, answer, state, expiresAt }: QuestionView,
  now: number,
): readonly [string, Tone] {
  // The clock may have moved on since the daemon was asked.
  if (state === "expired" || (state === "pending" && expiresAt <= now)) return ["Expired", "neutral"];
  if (state === "pending") return ["Waits", "warn"];
  if (state === "dismissed" || answer === null) return ["Dismissed", "neutral"];
  const ours = kind === "approval" || kind === "access" ? ANSWERS[answer] : undefined;
  return ours ?? (kind === "secret" ? ["Stored", "ok"] : ["Answered", "ok"]);
}
