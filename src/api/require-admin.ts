import { createHash, timingSafeEqual } from "node:crypto";
import type { onRequestAsyncHookHandler } from "fastify";
import { ToolkeepError } from "../errors.ts";
import type { Identity, Refusal } from "../identity/identity.ts";
import { bearerToken } from "../identity/token.ts";

/** Lets admins pass. An agent's token is FORBIDDEN; anything else UNAUTHORIZED, with the challenge header. */
export function requireAdmin(identity: Identity, adminToken: string): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined && sameText(token, adminToken)) return;

    const principal = identity.authenticate(token);
    if (typeof principal === "string") {
      reply.header("www-authenticate", challenge(principal));
      throw new ToolkeepError("UNAUTHORIZED", REFUSALS[principal]);
    }
    if (principal.kind !== "admin") {
      throw new ToolkeepError("FORBIDDEN", "this is an agent's token; /api wants an admin token");
    }
  };
}

const REFUSALS: Record<Refusal, string> = {
  missing: "no bearer token came with the request",
  unknown: "the bearer token is not known here: mistyped, revoked, or of another daemon",
  expired: "the bearer token has expired",
};

function challenge(refusal: Refusal): string {
  return refusal === "missing" ? 'Bearer realm="toolkeep"' : 'Bearer realm="toolkeep", error="invalid_token"';
}

function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
