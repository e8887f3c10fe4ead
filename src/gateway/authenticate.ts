import { ERRORS } from "../errors.ts";
import type { Identity, Principal, Refusal } from "../identity/identity.ts";
import { bearerToken } from "../identity/token.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { RPC, rpcError } from "./rpc-error.ts";

/** The agent behind a request, seen through its token. */
export type AgentPrincipal = Extract<Principal, { kind: "agent" }>;

const WHY: Record<Refusal, string> = {
  missing: "a bearer token is required and none came",
  unknown: "the bearer token is not known here",
  expired: "the bearer token has expired",
};

/** Who sends a request, or the answer that turns it away: 401 with a challenge, 403 for a token that opens no tools. */
export function authenticate(
  identity: Identity,
  authorization: string | undefined,
): Result<AgentPrincipal, Response> {
  const principal = identity.authenticate(bearerToken(authorization));
  if (typeof principal === "string") return err(unauthorized(principal));
  if (principal.kind === "admin") return err(adminRefused());
  return ok(principal);
}

function unauthorized(refusal: Refusal): Response {
  const message = WHY[refusal];
  const problem = refusal === "missing" ? "" : `, error="invalid_token", error_description="${message}"`;
  return rpcError(401, RPC.refused, `${message}. ${ERRORS.UNAUTHORIZED.remedy}`, {
    headers: { "www-authenticate": `Bearer realm="toolkeep"${problem}` },
    data: { code: "UNAUTHORIZED", remedy: ERRORS.UNAUTHORIZED.remedy },
  });
}

function adminRefused(): Response {
  const remedy = "Use a token of an agent: toolkeep token create --agent NAME.";
  return rpcError(403, RPC.refused, `an admin token opens /api; /mcp needs an agent's token. ${remedy}`, {
    data: { code: "FORBIDDEN", remedy },
  });
}
