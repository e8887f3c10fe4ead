import {
  type CompiledRule,
  compareRules,
  isTrait,
  type RuledTool,
  type Trait,
  traitsOf,
} from "./compiled-rule.ts";
import { RankedRules } from "./ranked-rules.ts";

/** The rules about one tool, most specific first. */
export interface Candidates {
  /** Denies that no other rule can loosen. */
  readonly final: RankedRules;
  /** Rules that name the tool. The most specific match decides alone. */
  readonly named: RankedRules;
  /**
   * Rules about what the tool can do, one list for each trait: each trait is decided by itself, because a tool needs
   * permission for everything that it does.
   */
  readonly traits: readonly RankedRules[];
  /** How many traits the tool has, whether or not a rule is about them. */
  readonly traitCount: number;
  readonly any: RankedRules;
  /** All rules that tighten because of a label of the conversation. */
  readonly flows: RankedRules;
  /** Whether answers to approvals are among the named rules. */
  readonly hasAnswers: boolean;
  readonly isConditional: boolean;
  /** Whether any of them asks. */
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

/** Lists of at least this length are shared between tools. */
const MIN_SHARED = 12;

/** Rules of one or several scopes, indexed by permission, so that a tool meets only those that may concern it. */
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
    const candidates = this.#find(tool);
    this.#candidates.set(tool, candidates);
    return candidates;
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
    const toolTraits = traitsOf(tool);
    const traits = toolTraits.map((trait) => (this.#traits.get(trait) ?? []).filter(isAbout));
    const any = this.#any.filter(isAbout);
    const all = [...named, ...traits.flat(), ...any];
    if (all.length === 0) return NONE;
    return {
      final: this.#rank(all.filter(({ rule }) => rule.final && rule.action === "deny")),
      named: this.#rank(sortRules(named)),
      traits: traits.filter((rules) => rules.length > 0).map((rules) => this.#rank(sortRules(rules))),
      traitCount: toolTraits.length,
      any: this.#rank(sortRules(any)),
      flows: this.#rank(
        all.filter(({ rule: { after, action } }) => after !== undefined && action !== "allow"),
      ),
      hasAnswers: named.some(({ rule }) => rule.isAnswer),
      isConditional: all.some((rule) => rule.isConditional),
      asks: all.some(({ rule }) => rule.action === "ask"),
    };
  }

  /** Thousands of tools may have the same hundreds of rules; such lists exist once. */
  #rank(rules: readonly CompiledRule[]): RankedRules {
    if (rules.length < MIN_SHARED) return rules.length === 0 ? NO_RULES : new RankedRules(rules);
    const key = rules.map((rule) => this.#numbers.get(rule)).join(" ");
    const known = this.#shared.get(key) ?? new RankedRules(rules);
    this.#shared.set(key, known);
    return known;
  }
}

/** The only origin whose tools a glob can match; undefined: it may match tools of several. */
function originOf(permission: string): string | undefined {
  const prefix = permission.slice(0, permission.indexOf("*"));
  return /^(?:(?:mcp|plugin):[^:]+|native|platform|custom)(?=:)/.exec(prefix)?.[0];
}

function sortRules(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  return rules.toSorted((a, b) => compareRules(b, a));
}

function push<K>(map: Map<K, CompiledRule[]>, key: K, rule: CompiledRule): void {
  const list = map.get(key);
  if (list) list.push(rule);
  else map.set(key, [rule]);
}
