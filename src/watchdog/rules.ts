import type { Rule } from "../config/settings.ts";
import { wildcard } from "../lib/wildcard.ts";
import type { Tool } from "../tool.ts";

export type Action = Rule["action"];

export interface Decision {
  readonly action: Action;
  /** The rule that decided, in words a person can find again. */
  readonly rule: string;
}

const STRICTNESS: Record<Action, number> = { allow: 0, ask: 1, deny: 2 };
const DEFAULT: Decision = { action: "allow", rule: "default: allow" };

interface CompiledRule extends Rule {
  readonly matches: (permission: string) => boolean;
  /** How much of the permission is spelt out; an exact one beats every glob. */
  readonly weight: number;
}

/** Decides by rules, compiled once. Pure: the same tool always gets the same answer. */
export class Rules {
  readonly #user: readonly CompiledRule[];
  readonly #project: readonly CompiledRule[];
  /** Every list of every agent asks about every tool. */
  readonly #decided = new WeakMap<object, Decision>();

  constructor(rules: readonly Rule[]) {
    this.#user = rules.filter((rule) => rule.from === "user").map(compile);
    this.#project = rules.filter((rule) => rule.from === "project").map(compile);
  }

  /**
   * The most specific rule wins, a tie takes the stricter. A project's rules are weighed apart and may only
   * tighten what the user's say.
   */
  decide(tool: Pick<Tool, "name" | "origin" | "ownName">): Decision {
    if (this.#user.length + this.#project.length === 0) return DEFAULT;
    const decided = this.#decided.get(tool) ?? this.#weighed(tool);
    this.#decided.set(tool, decided);
    return decided;
  }

  #weighed(tool: Pick<Tool, "name" | "origin" | "ownName">): Decision {
    const permissions = [tool.name, `${tool.origin}:${tool.ownName}`];
    const user = best(this.#user, permissions) ?? DEFAULT;
    const project = best(this.#project, permissions) ?? DEFAULT;
    return STRICTNESS[project.action] > STRICTNESS[user.action] ? project : user;
  }
}

function best(rules: readonly CompiledRule[], permissions: readonly string[]): Decision | undefined {
  let winner: CompiledRule | undefined;
  for (const rule of rules) {
    if (permissions.some(rule.matches) && (!winner || beats(rule, winner))) winner = rule;
  }
  return winner && { action: winner.action, rule: `${winner.from}: ${winner.permission} → ${winner.action}` };
}

function beats(a: CompiledRule, b: CompiledRule): boolean {
  return a.weight === b.weight ? STRICTNESS[a.action] > STRICTNESS[b.action] : a.weight > b.weight;
}

function compile(rule: Rule): CompiledRule {
  const stars = rule.permission.split("*").length - 1;
  return {
    ...rule,
    matches: wildcard(rule.permission),
    weight: stars === 0 ? Number.POSITIVE_INFINITY : rule.permission.length - stars,
  };
}
