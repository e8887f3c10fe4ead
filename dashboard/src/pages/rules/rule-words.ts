import type { RuleInput, RuleView } from "../../api/contract.ts";
import type { Tone } from "../../ui/badge.tsx";

export { CAPABILITY_WORDS, patternInWords, permissionInWords, ruleInWords } from "./rule-sentence.ts";

export type Action = RuleInput["action"];

/** How people say what a rule does. */
export const ACTIONS: Readonly<Record<Action, { readonly label: string; readonly tone: Tone }>> = {
  allow: { label: "Allow", tone: "ok" },
  ask: { label: "Ask me first", tone: "warn" },
  deny: { label: "Never", tone: "bad" },
};

export const ORIGINS: Readonly<Record<RuleView["from"], string>> = {
  default: "Comes with Toolkeep",
  user: "For every agent",
  project: "The project's file",
  agent: "For one agent",
  session: "For one conversation",
};

/** Where a rule stands, and so where it is changed. */
export function whereFrom({ from, where, id, createdBy }: RuleView): string {
  if (id !== null) return `written here${createdBy === null ? "" : ` by ${createdBy}`}`;
  return from === "default" ? "comes with Toolkeep" : where;
}

/** The address of a rule: its id, or of one that is not stored a number made of what it says. */
export function ruleKey({ id, from, ...rule }: RuleView): string {
  if (id !== null) return id;
  const { permission, action, pattern, after, only, except, unless } = rule;
  const text = JSON.stringify([permission, action, pattern, after, only, except, unless]);
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = ((hash * 33) ^ text.charCodeAt(at)) >>> 0;
  return `${from}-${hash.toString(36)}`;
}
