import { isTokenScope, labelOf, SCOPES, type TokenScope } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";

/** The list of a token. Labels add to what it sees: named alone, they leave it every tool. Throws BAD_REQUEST. */
export function scopeList(given: readonly string[]): readonly TokenScope[] {
  const scopes = [...new Set(given)].map(checkScope);
  const isOnlyLabels = scopes.length > 0 && scopes.every((scope) => labelOf(scope) !== undefined);
  return isOnlyLabels ? [...SCOPES, ...scopes] : scopes;
}

function checkScope(scope: string): TokenScope {
  if (isTokenScope(scope)) return scope;
  const guess = nearest(scope, SCOPES);
  throw new ToolkeepError(
    "BAD_REQUEST",
    `${scope} is no scope${guess ? `; did you mean ${guess}?` : "."} The scopes are: ${SCOPES.join(", ")}, and label:NAME.`,
  );
}
