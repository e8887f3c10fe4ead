import type { Tool } from "../../contract/tool.ts";
import { canonicalPermission } from "../../lib/address/resource-uri.ts";
import { wildcard } from "../../lib/text/wildcard.ts";

type Matches = (permission: string) => boolean;

/**
 * Patterns for permissions (`<origin>:<ownName>`), matched against many tools. Most match either everything or nothing
 * of an origin, and then its tools need not be looked at one by one.
 */
export class PermissionPatterns {
  readonly #patterns: readonly string[];
  /** By origin: `true` if a pattern matches every tool of it, else the patterns that may match. */
  readonly #byOrigin = new Map<string, true | readonly Matches[]>();

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map(canonicalPermission);
  }

  match({ origin, ownName }: Pick<Tool, "origin" | "ownName">): boolean {
    if (this.#patterns.length === 0) return false;
    const known = this.#byOrigin.get(origin) ?? this.#patternsFor(origin);
    if (known === true || known.length === 0) return known === true;
    const permission = `${origin}:${ownName}`;
    return known.some((matches) => matches(permission));
  }

  #patternsFor(origin: string): true | readonly Matches[] {
    const prefix = `${origin}:`;
    const candidates = this.#patterns.filter((pattern) => {
      const literal = literalOf(pattern);
      return prefix.startsWith(literal) || literal.startsWith(prefix);
    });
    const isAll = candidates.some(
      (pattern) => pattern === `${literalOf(pattern)}*` && prefix.startsWith(literalOf(pattern)),
    );
    const result = isAll || candidates.map(wildcard);
    this.#byOrigin.set(origin, result);
    return result;
  }
}

/** The text that a matching permission begins with. */
function literalOf(pattern: string): string {
  return pattern.split("*", 1)[0]!;
}
