import { isTokenScope, labelOf, SCOPES, type TokenScope } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";

/** Checks the scopes of a token. Labels add to what it sees: labels alone leave it every tool. Throws BAD_REQUEST. */
export function checkScopes(given: readonly string[]): readonly TokenScope[] {
  const scopes = [...new Set(given)].map(checkScope);
  const hasOnlyLabels = scopes.length > 0 && scopes.every((scope) => labelOf(scope) !== undefined);
  return hasOnlyLabels ? [...SCOPES, ...scopes] : scopes;
}

function checkScope(scope: string): TokenScope {
  if (isTokenScope(scope)) return scope;
  const guess = nearest(scope, SCOPES);
  throw new ToolkeepError(
    "BAD_REQUEST",
    `${scope} is not a scope${guess ? `; did you mean ${guess}?` : "."} The scopes are: ${SCOPES.join(", ")}, and label:NAME.`,
  );
}
