import type { EventMap } from "../../contract/events.ts";
import type { QuestionRecord } from "./contract.ts";

/** What a live list shows of a question. Arguments are as people may see them; a question never contains a secret. */
export function askedEvent(question: QuestionRecord, agent: string): EventMap["question.asked"] {
  const { id, kind, prompt, details, createdAt, expiresAt } = question;
  const { tool, rule, calls } = details;
  return {
    id,
    agent,
    kind,
    prompt,
    createdAt,
    expiresAt,
    ...(typeof tool === "string" && { tool }),
    ...(typeof details.arguments === "string" && { arguments: details.arguments }),
    ...(typeof rule === "string" && { rule }),
    ...(Array.isArray(calls) && { calls: calls.length }),
  };
}

/** How it was settled. The answer is included only where it is one of ours, never a text that a person wrote. */
export function settledEvent({
  id,
  kind,
  answer,
  settlement,
}: QuestionRecord): EventMap["question.answered"] {
  return {
    id,
    kind,
    ...(kind === "approval" && answer !== null && { answer }),
    ...(settlement && { by: settlement.by, from: settlement.from }),
  };
}

/** For the audit: who answered what to which question. Texts of people and secrets stay with the question. */
export function settledNote(
  question: QuestionRecord,
): [kind: string, actor: string, subject: string, details: Readonly<Record<string, unknown>>] {
  const { id, kind, agentId, answer, settlement, details } = question;
  const { reason, ruleIds } = settlement ?? {};
  const hasFixedAnswers = kind === "approval" || kind === "access";
  return [
    `question.${question.state}`,
    settlement?.by ?? "nobody",
    id,
    {
      kind,
      agentId,
      from: settlement?.from ?? null,
      ...(hasFixedAnswers && { answer, tool: details.tool ?? null }),
      ...(reason !== undefined && { reason }),
      ...(ruleIds && { ruleIds }),
    },
  ];
}
