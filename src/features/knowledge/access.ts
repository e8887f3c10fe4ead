import { OPERATOR } from "../../call/identity/callers.ts";
import { type Caller, covers, labelOf, type TokenScope } from "../../contract/caller.ts";
import type { RouteActor } from "../../contract/define-route.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { Access } from "./knowledge.ts";

/** For people who look after this installation: they see every label. */
export const EVERYTHING: Access = { labels: null };

/** Whether content with this label is visible; null: it has no label. This is the only place that decides it. */
export function canSee({ labels }: Access, label: string | null): boolean {
  return label === null || labels === null || labels.includes(label);
}

/**
 * What a caller may see. A token with scopes sees only the labels among them. A token without scopes sees the labels that the settings
 * give its agent (`agents`, by label). Labels are never granted by `*`.
 */
export function accessOf(
  { scopes, agentName, operator }: Pick<Caller, "scopes" | "agentName" | "operator">,
  agents: Readonly<Record<string, readonly string[]>>,
): Access {
  if (operator) return EVERYTHING;
  return { labels: scopes ? labelsIn(scopes) : labelsFor(agentName, agents) };
}

/** People and programs that look after the installation see every label; viewers see only what has none. */
export function accessOfActor({ role }: RouteActor): Access {
  return covers(role, "operator") ? EVERYTHING : { labels: [] };
}

/** The name that is noted with what a person or program writes. */
export function signatureOf({ kind, name }: RouteActor): string {
  return kind === "person" ? name : OPERATOR;
}

function labelsIn(scopes: readonly TokenScope[]): readonly string[] {
  return scopes.flatMap((scope) => labelOf(scope) ?? []);
}

function labelsFor(agent: string, agents: Readonly<Record<string, readonly string[]>>): readonly string[] {
  return Object.entries(agents).flatMap(([label, names]) => (isAmong(agent, names) ? [label] : []));
}

/** Whether a name matches one of the patterns, in which `*` stands for anything. */
export function isAmong(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => wildcard(pattern)(name));
}
