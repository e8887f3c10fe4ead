import type { RuleInput, RuleView } from "../../api/contract.ts";
import type { Tone } from "../../ui/badge.tsx";

export { CAPABILITY_PHRASES, describeRule } from "./rule-sentence.ts";

export type Action = RuleInput["action"];

/** The actions of a rule, as people read them. */
export const ACTIONS: Readonly<Record<Action, { readonly label: string; readonly tone: Tone }>> = {
  allow: { label: "Allow", tone: "ok" },
  ask: { label: "Ask first", tone: "warn" },
  deny: { label: "Deny", tone: "bad" },
};

export const ORIGINS: Readonly<Record<RuleView["from"], string>> = {
  default: "Built-in",
  user: "Every agent",
  project: "Project file",
  agent: "One agent",
  session: "One conversation",
};

/** Where a rule is defined, and so where to change it. */
export function describeSource({ from, where, id, createdBy }: RuleView): string {
  if (id !== null) return `Added here${createdBy === null ? "" : ` by ${createdBy}`}`;
  return from === "default" ? "Built-in" : where;
}

/** The key of a rule in URLs: its id, or a hash of its content when it is not stored. */
export function ruleKey({ id, from, ...rule }: RuleView): string {
  if (id !== null) return id;
  const { permission, action, pattern, after, only, except, unless } = rule;
  const text = JSON.stringify([permission, action, pattern, after, only, except, unless]);
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = ((hash * 33) ^ text.charCodeAt(at)) >>> 0;
  return `${from}-${hash.toString(36)}`;
}
