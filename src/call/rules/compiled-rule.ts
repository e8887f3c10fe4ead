import { CAPABILITIES, type Capability, type Tool } from "../../contract/tool.ts";
import type { ToolPlace } from "../../contract/tool-place.ts";
import { canonicalPermission } from "../../lib/address/resource-uri.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { Rule, RuleScope } from "../../machine/config/settings.ts";
import type { CallTexts } from "./call-texts.ts";
import { type CallFacts, compilePattern, type Pattern } from "./pattern.ts";

export type Action = Rule["action"];

/** What rules can be about besides tools and `*`: what a tool can do, and whether it may destroy something. */
export type Trait = Capability | "destructive";
export const TRAITS: readonly Trait[] = [...CAPABILITIES, "destructive"];

/** The parts of a tool that decide which rules are about it. */
export type RuledTool = Pick<Tool, "name" | "origin" | "ownName"> &
  Partial<Pick<Tool, "capabilities" | "untrusted" | "flags" | "inputSchema" | "reads" | "startsIn">> &
  Pick<ToolPlace, "startsElsewhere">;

/** What decides about a call, besides its tool. */
export interface Circumstances {
  readonly facts: () => CallFacts;
  readonly texts: () => CallTexts;
  /** What the conversation has come in touch with. */
  readonly labels: ReadonlySet<string>;
  /** Denies that match only if a command that cannot be read for certain runs what they are about. They ask instead. */
  readonly uncertainDenies: Set<CompiledRule>;
  /** Set: uncertain denies do not match. */
  readonly isCertainOnly?: true;
}

export const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
const SCOPES: readonly RuleScope[] = ["default", "user", "project", "agent", "session"];

/** A rule in the form in which it is weighed against others. */
export interface CompiledRule {
  readonly rule: Rule;
  /** Its permission, with URIs in canonical form. */
  readonly permission: string;
  readonly matchesName: (permission: string) => boolean;
  readonly pattern: Pattern | undefined;
  /** It may match one call and not another of the same tool. */
  readonly isConditional: boolean;
  readonly matches: (circumstances: Circumstances) => boolean;
  /** How specific the rule is: permission, pattern, scope, strictness, compared in this order. */
  readonly rank: readonly [permission: number, pattern: number, scope: number, strictness: number];
  readonly text: string;
}

const EXACT = 1_000_000;
/** Above every trait, however little of a name the permission spells out. */
const NAMED = 1_000;
const TRAIT = 1;

/** `userHome`: what `~` in a pattern stands for. */
export function compileRule(rule: Rule, userHome: string): CompiledRule {
  const { permission, action, after, unless } = rule;
  const pattern = rule.pattern === undefined ? undefined : compilePattern(rule.pattern, userHome);
  const exception = unless === undefined ? undefined : compilePattern(unless, userHome);
  const matches = ({ facts, labels, uncertainDenies, isCertainOnly }: Circumstances) => {
    if (after !== undefined && !labels.has(after)) return false;
    if (exception?.permits(facts())) return false;
    if (!pattern) return true;
    if (action === "allow") return pattern.permits(facts());
    const caught = pattern.catches(facts());
    if (caught !== "maybe" || action !== "deny" || rule.final) return caught !== "no";
    uncertainDenies.add(compiled);
    return !isCertainOnly;
  };
  const isConditional = pattern !== undefined || exception !== undefined || after !== undefined;
  const canonical = canonicalPermission(permission);
  const compiled: CompiledRule = {
    rule,
    permission: canonical,
    matchesName: wildcard(canonical),
    pattern,
    isConditional,
    matches: isConditional ? matches : () => true,
    rank: [
      permissionRank(permission),
      (pattern?.weight ?? 0) + (after === undefined ? 0 : 0.5),
      SCOPES.indexOf(rule.from),
      STRICTNESS[action],
    ],
    text: describeRule(rule),
  };
  return compiled;
}

export function isTrait(permission: string): permission is Trait {
  return (TRAITS as readonly string[]).includes(permission);
}

export function traitsOf({ capabilities = [], flags }: RuledTool): readonly Trait[] {
  return flags?.destructive ? [...capabilities, "destructive"] : capabilities;
}

/** Positive where `a` is more specific; 0 only for rules that say the same. */
export function compareRules(a: CompiledRule, b: CompiledRule): number {
  for (let part = 0; part < 4; part++) {
    const difference = a.rank[part]! - b.rank[part]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function permissionRank(permission: string): number {
  if (permission === "*") return 0;
  if (isTrait(permission)) return TRAIT;
  const stars = permission.split("*").length - 1;
  return stars === 0 ? EXACT : NAMED + permission.length - stars;
}

/** Text by which a person can find the rule again. */
function describeRule({ from, id, permission, pattern, after, only, action, final }: Rule): string {
  const written = typeof pattern === "object" ? JSON.stringify(pattern) : pattern;
  return [
    id === undefined ? `${from}:` : `${from} (${id}):`,
    permission,
    ...(only === undefined ? [] : [`of ${only} servers`]),
    ...(written === undefined ? [] : [`on ${written}`]),
    ...(after === undefined ? [] : [`after ${after}`]),
    `→ ${final ? "final " : ""}${action}`,
  ].join(" ");
}
