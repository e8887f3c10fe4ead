import type { Tool } from "../../contract/tool.ts";
import { canonicalPermission } from "../../lib/address/resource-uri.ts";
import { wildcard } from "../../lib/text/wildcard.ts";

type Matches = (permission: string) => boolean;

/**
 * Patterns for permissions (`<origin>:<ownName>`), asked about many tools. Most match everything of an origin or nothing of it, and then
 * its tools are not looked at.
 */
export class PermissionPatterns {
  readonly #patterns: readonly string[];
  /** `true`: one of them matches whatever comes from there; else those that may match. */
  readonly #byOrigin = new Map<string, true | readonly Matches[]>();

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns.map(canonicalPermission);
  }

  match({ origin, ownName }: Pick<Tool, "origin" | "ownName">): boolean {
    if (this.#patterns.length === 0) return false;
    const known = this.#byOrigin.get(origin) ?? this.#matchingIn(origin);
    if (known === true || known.length === 0) return known === true;
    const permission = `${origin}:${ownName}`;
    return known.some((matches) => matches(permission));
  }

  #matchingIn(origin: string): true | readonly Matches[] {
    const beginning = `${origin}:`;
    const near = this.#patterns.filter((pattern) => {
      const literal = literalOf(pattern);
      return beginning.startsWith(literal) || literal.startsWith(beginning);
    });
    const isAll = near.some(
      (pattern) => pattern === `${literalOf(pattern)}*` && beginning.startsWith(literalOf(pattern)),
    );
    const found = isAll || near.map(wildcard);
    this.#byOrigin.set(origin, found);
    return found;
  }
}

/** What a permission has to begin with. */
function literalOf(pattern: string): string {
  return pattern.split("*", 1)[0]!;
}
