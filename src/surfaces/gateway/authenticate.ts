import type { Identity, Principal, Refusal } from "../../call/identity/identity.ts";
import { OFFERED_SCOPES, opens } from "../../call/identity/resource.ts";
import { bearerToken } from "../../call/identity/token.ts";
import type { Caller } from "../../contract/caller.ts";
import { ERRORS } from "../../contract/errors.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type HttpAnswer, RPC, rpcError } from "./rpc-error.ts";

/** The agent behind a request, seen through its token. */
export type AgentPrincipal = Extract<Principal, { kind: "agent" }> & Pick<Caller, "withheld">;

/** What a request is for. */
export interface Wanted {
  /** As it came, without query. */
  readonly path: string;
  /** Where clients read how to get a token; undefined where a person has to hand them one. Asked only when refusing. */
  readonly metadata: () => string | undefined;
}

const WHY: Record<Refusal, string> = {
  missing: "a bearer token is required and none came",
  unknown: "the bearer token is not known here",
  expired: "the bearer token has expired",
};

/** Who sends a request, or the answer that turns it away. */
export function authenticate(
  identity: Identity,
  authorization: string | undefined,
  wanted: Wanted = { path: "/mcp", metadata: () => undefined },
): Result<AgentPrincipal, HttpAnswer> {
  return letIn(identity.authenticate(bearerToken(authorization)), wanted);
}

/**
 * 401 with a challenge for whoever is not recognised or brings a token for another address, 403 for a token that opens
 * no tools. A tool that the token's scopes leave out is another matter: that ends the call, not the request.
 */
export function letIn(who: Principal | Refusal, wanted: Wanted): Result<AgentPrincipal, HttpAnswer> {
  if (who === "missing") return err(unauthorized(WHY.missing, "", wanted));
  if (typeof who === "string") return err(invalidToken(WHY[who], wanted));
  if (who.kind === "admin")
    return err(opensNothing("an admin token opens /api; /mcp needs an agent's", wanted));
  if (who.scopes?.length === 0) return err(opensNothing("the bearer token has no scope", wanted));
  if (!opens(who.resource, wanted.path))
    return err(invalidToken(`the bearer token was issued for ${who.resource} only`, wanted));
  return ok(who);
}

export function rateLimited(message: string, retryAfterMs: number): HttpAnswer {
  const { remedy } = ERRORS.RATE_LIMITED;
  return rpcError(429, RPC.refused, `${message}. ${remedy}`, {
    headers: { "retry-after": String(Math.ceil(retryAfterMs / 1000)) },
    data: { code: "RATE_LIMITED", remedy, retryAfterMs },
  });
}

function invalidToken(message: string, wanted: Wanted): HttpAnswer {
  return unauthorized(message, `, error="invalid_token", error_description="${message}"`, wanted);
}

function unauthorized(message: string, problem: string, wanted: Wanted): HttpAnswer {
  const { remedy } = ERRORS.UNAUTHORIZED;
  return rpcError(401, RPC.refused, `${message}. ${remedy}`, {
    headers: { "www-authenticate": challenge(problem, wanted) },
    data: { code: "UNAUTHORIZED", remedy },
  });
}

function opensNothing(message: string, wanted: Wanted): HttpAnswer {
  const remedy = "Use a token of an agent: toolkeep token create --agent NAME.";
  const problem = `, error="insufficient_scope", error_description="${message}"`;
  return rpcError(403, RPC.refused, `${message}. ${remedy}`, {
    headers: { "www-authenticate": challenge(problem, wanted) },
    data: { code: "FORBIDDEN", remedy },
  });
}

/** As RFC 6750 and RFC 9728 write it. Nothing in it comes from the request unchecked. */
function challenge(problem: string, { metadata }: Wanted): string {
  const address = metadata();
  const how =
    address === undefined ? "" : `, resource_metadata="${address}", scope="${OFFERED_SCOPES.join(" ")}"`;
  return `Bearer realm="toolkeep"${how}${problem}`;
}
