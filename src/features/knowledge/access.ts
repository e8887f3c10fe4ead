import { OPERATOR } from "../../call/identity/callers.ts";
import { type Caller, covers, labelOf, type TokenScope } from "../../contract/caller.ts";
import type { RouteActor } from "../../contract/define-route.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { Access } from "./knowledge.ts";

/** Who sees everything, whatever label it bears: people who look after this installation. */
export const EVERYTHING: Access = { labels: null };

/** Whether somebody sees what bears this label, or none. The only place that decides this. */
export function canSee({ labels }: Access, label: string | null): boolean {
  return label === null || labels === null || labels.includes(label);
}

/**
 * What a caller may see. A token with scopes sees the labels that are among them and no other; one without sees those that the settings give
 * its agent (`agents`, by label). Labels are never part of "everything that the agent has".
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

/** Whether a name is one of these, of which each may have `*` for anything. */
export function isAmong(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => wildcard(pattern)(name));
}
