import {
  type CompiledRule,
  compareRules,
  isTrait,
  type RuledTool,
  type Trait,
  traitsOf,
} from "./compiled-rule.ts";

/** The rules that are about one tool, most specific first. */
export interface Candidates {
  /** Denies that nothing loosens. */
  readonly final: readonly CompiledRule[];
  /** Of one specificity each: what decides in the first that has a match is all that counts. */
  readonly named: readonly CompiledRule[];
  /** By what the tool can do: each of it is decided by itself, for a tool needs leave for all that it does. */
  readonly traits: readonly (readonly CompiledRule[])[];
  /** How many things the tool can do, whether or not a rule is about them. */
  readonly traitCount: number;
  readonly any: readonly CompiledRule[];
  readonly isConditional: boolean;
  /** One of them asks. */
  readonly asks: boolean;
}

const NONE: Candidates = {
  final: [],
  named: [],
  traits: [],
  traitCount: 0,
  any: [],
  isConditional: false,
  asks: false,
};

/** Rules of one scope or several, by what they are about, so that a tool meets only those that may concern it. */
export class RuleIndex {
  readonly size: number;
  readonly #exact = new Map<string, CompiledRule[]>();
  readonly #byOrigin = new Map<string, CompiledRule[]>();
  readonly #globs: CompiledRule[] = [];
  readonly #traits = new Map<Trait, CompiledRule[]>();
  readonly #any: CompiledRule[] = [];
  readonly #candidates = new WeakMap<object, Candidates>();

  constructor(rules: readonly CompiledRule[]) {
    this.size = rules.length;
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
    const { permission } = rule.rule;
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
      final: all.filter(({ rule }) => rule.final && rule.action === "deny"),
      named: sorted(named),
      traits: traits.filter((rules) => rules.length > 0).map(sorted),
      traitCount: can.length,
      any: sorted(any),
      isConditional: all.some((rule) => rule.isConditional),
      asks: all.some(({ rule }) => rule.action === "ask"),
    };
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
