import {
  type CompiledRule,
  compareRules,
  isTrait,
  type RuledTool,
  type Trait,
  traitsOf,
} from "./compiled-rule.ts";
import { RankedRules } from "./ranked-rules.ts";

/** The rules that are about one tool, most specific first. */
export interface Candidates {
  /** Denies that nothing loosens. */
  readonly final: RankedRules;
  /** Of one specificity each: what decides in the first that has a match is all that counts. */
  readonly named: RankedRules;
  /** By what the tool can do: each of it is decided by itself, for a tool needs leave for all that it does. */
  readonly traits: readonly RankedRules[];
  /** How many things the tool can do, whether or not a rule is about them. */
  readonly traitCount: number;
  readonly any: RankedRules;
  /** Those of all of them that a label of the conversation tightens. */
  readonly flows: RankedRules;
  /** Whether there are answers to approvals among the named. */
  readonly hasAnswers: boolean;
  readonly isConditional: boolean;
  /** One of them asks. */
  readonly asks: boolean;
}

const NO_RULES = new RankedRules([]);
const NONE: Candidates = {
  final: NO_RULES,
  named: NO_RULES,
  traits: [],
  traitCount: 0,
  any: NO_RULES,
  flows: NO_RULES,
  hasAnswers: false,
  isConditional: false,
  asks: false,
};

/** Longer lists of rules are held once for all tools that have them. */
const MIN_SHARED = 12;

/** Rules of one scope or several, by what they are about, so that a tool meets only those that may concern it. */
export class RuleIndex {
  readonly size: number;
  readonly #exact = new Map<string, CompiledRule[]>();
  readonly #byOrigin = new Map<string, CompiledRule[]>();
  readonly #globs: CompiledRule[] = [];
  readonly #traits = new Map<Trait, CompiledRule[]>();
  readonly #any: CompiledRule[] = [];
  readonly #candidates = new WeakMap<object, Candidates>();
  readonly #numbers: ReadonlyMap<CompiledRule, number>;
  readonly #shared = new Map<string, RankedRules>();

  constructor(rules: readonly CompiledRule[]) {
    this.size = rules.length;
    this.#numbers = new Map(rules.map((rule, number) => [rule, number]));
    for (const rule of rules) this.#add(rule);
  }

  /** The same object for the same tool. */
  for(tool: RuledTool): Candidates {
    if (this.size === 0) return NONE;
    const known = this.#candidates.get(tool);
    if (known) return known;
    const found = this.#find(tool);
    this.#candidates.set(tool, found);
    return found;
  }

  #add(rule: CompiledRule): void {
    const { permission } = rule;
    if (permission === "*") this.#any.push(rule);
    else if (isTrait(permission)) {
      push(this.#traits, permission, rule);
      // A tool may have the same name.
      push(this.#exact, permission, rule);
    } else if (!permission.includes("*")) push(this.#exact, permission, rule);
    else {
      const origin = originOf(permission);
      if (origin === undefined) this.#globs.push(rule);
      else push(this.#byOrigin, origin, rule);
    }
  }

  #find(tool: RuledTool): Candidates {
    const full = `${tool.origin}:${tool.ownName}`;
    const isAbout = ({ rule: { only, except } }: CompiledRule) =>
      (only !== "untrusted" || tool.untrusted === true) && !except?.includes(tool.name);
    const matches = (rule: CompiledRule) => rule.matchesName(tool.name) || rule.matchesName(full);
    const named = [
      ...(this.#exact.get(tool.name) ?? []),
      ...(full === tool.name ? [] : (this.#exact.get(full) ?? [])),
      ...[...(this.#byOrigin.get(tool.origin) ?? []), ...this.#globs].filter(matches),
    ].filter(isAbout);
    const can = traitsOf(tool);
    const traits = can.map((trait) => (this.#traits.get(trait) ?? []).filter(isAbout));
    const any = this.#any.filter(isAbout);
    const all = [...named, ...traits.flat(), ...any];
    if (all.length === 0) return NONE;
    return {
      final: this.#ranked(all.filter(({ rule }) => rule.final && rule.action === "deny")),
      named: this.#ranked(sorted(named)),
      traits: traits.filter((rules) => rules.length > 0).map((rules) => this.#ranked(sorted(rules))),
      traitCount: can.length,
      any: this.#ranked(sorted(any)),
      flows: this.#ranked(
        all.filter(({ rule: { after, action } }) => after !== undefined && action !== "allow"),
      ),
      hasAnswers: named.some(({ rule }) => rule.isAnswer),
      isConditional: all.some((rule) => rule.isConditional),
      asks: all.some(({ rule }) => rule.action === "ask"),
    };
  }

  /** Thousands of tools may have the same hundreds of rules: those are held once. */
  #ranked(rules: readonly CompiledRule[]): RankedRules {
    if (rules.length < MIN_SHARED) return rules.length === 0 ? NO_RULES : new RankedRules(rules);
    const key = rules.map((rule) => this.#numbers.get(rule)).join(" ");
    const known = this.#shared.get(key) ?? new RankedRules(rules);
    this.#shared.set(key, known);
    return known;
  }
}

/** The only origin whose tools a glob can match; undefined: it may match tools of several. */
function originOf(permission: string): string | undefined {
  const written = permission.slice(0, permission.indexOf("*"));
  return /^(?:(?:mcp|plugin):[^:]+|native|platform|custom)(?=:)/.exec(written)?.[0];
}

function sorted(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  return rules.toSorted((a, b) => compareRules(b, a));
}

function push<K>(map: Map<K, CompiledRule[]>, key: K, rule: CompiledRule): void {
  const there = map.get(key);
  if (there) there.push(rule);
  else map.set(key, [rule]);
}
