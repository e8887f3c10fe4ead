import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import type { Settings } from "../config/settings.ts";
import { ToolkeepError } from "../errors.ts";
import type { Identity, Refusal } from "../identity/identity.ts";
import { addressKey } from "../identity/rate-limits.ts";
import { bearerToken } from "../identity/token.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logins } from "./logins.ts";
import { checkSameOrigin } from "./same-origin.ts";
import { sessionOf } from "./session-cookie.ts";

/** What lets somebody in, for as long as it does. */
export interface Admission {
  isValid(): boolean;
}

export interface AdminDeps {
  readonly identity: Pick<
    Identity,
    "authenticate" | "mayBeNew" | "authenticateNew" | "tokens" | "requests" | "failures"
  >;
  readonly logins: Pick<Logins, "knows">;
  readonly clock: Clock;
  /** Accepted beside the admin tokens of the store. */
  readonly adminToken: string;
  /** Where people reach this process. */
  readonly url: () => string;
  readonly rateLimits: () => Settings["rateLimits"];
}

/** Who may use `/api`: admin tokens, and people with a session at the page. */
export class Admins {
  readonly #deps: AdminDeps;
  readonly #admitted = new WeakMap<FastifyRequest, Admission>();

  constructor(deps: AdminDeps) {
    this.#deps = deps;
  }

  /** Lets admins pass. An agent's token is FORBIDDEN; anything else UNAUTHORIZED, with the challenge header. */
  get hook(): onRequestAsyncHookHandler {
    return async (request, reply) => {
      const admission = await this.#admit(request, reply);
      if (typeof admission !== "string") return void this.#admitted.set(request, admission);
      reply.header("www-authenticate", challenge(admission));
      throw new ToolkeepError("UNAUTHORIZED", REFUSALS[admission]);
    };
  }

  /** What a request that passed was let in by. */
  admission(request: FastifyRequest): Admission {
    return this.#admitted.get(request) ?? { isValid: () => false };
  }

  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<Admission | Refused> {
    const session = request.headers.authorization === undefined ? sessionOf(request) : undefined;
    return session === undefined ? this.#byToken(request, reply) : this.#bySession(request, session);
  }

  async #byToken({ headers, socket }: FastifyRequest, reply: FastifyReply): Promise<Admission | Refused> {
    const { identity, adminToken, clock } = this.#deps;
    const { requestsPerMinute, failuresPerMinute } = this.#deps.rateLimits();
    const token = bearerToken(headers.authorization);
    if (token !== undefined && sameText(token, adminToken)) return { isValid: () => true };

    let principal = identity.authenticate(token);
    if (principal === "unknown") {
      checkRate(identity.failures.take(addressKey(socket.remoteAddress), failuresPerMinute), reply);
      // Another process on the same database may have issued it a moment ago.
      if (identity.mayBeNew(token)) principal = await identity.authenticateNew(token);
    }
    if (typeof principal === "string") return principal;
    const limit = principal.requestsPerMinute ?? requestsPerMinute;
    checkRate(identity.requests.take(principal.tokenId, limit), reply);
    if (principal.kind !== "admin") {
      throw new ToolkeepError("FORBIDDEN", "this is an agent's token; it opens /mcp and /rpc, not /api");
    }
    const { tokenId } = principal;
    const isIt = ({ id, expiresAt }: { id: string; expiresAt: number | null }) =>
      id === tokenId && (expiresAt === null || expiresAt > clock());
    return { isValid: () => identity.tokens().some(isIt) };
  }

  #bySession(request: FastifyRequest, session: string): Admission | Refused {
    const { logins, url } = this.#deps;
    if (!logins.knows(session)) return "ended";
    checkSameOrigin(request, url());
    return { isValid: () => logins.knows(session) };
  }
}

/** Throws RATE_LIMITED, with the header that says how long to wait. */
function checkRate(waitMs: number, reply: FastifyReply): void {
  if (waitMs === 0) return;
  reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
  throw new ToolkeepError(
    "RATE_LIMITED",
    "too many requests came with this token, or too many unknown tokens from this address",
  );
}

type Refused = Refusal | "ended";

const REFUSALS: Record<Refused, string> = {
  missing: "no bearer token came with the request",
  unknown: "the bearer token is not known here: mistyped, revoked, or of another daemon",
  expired: "the bearer token has expired",
  ended: "the session has ended; toolkeep open starts another",
};

function challenge(refusal: Refused): string {
  const isToken = refusal === "unknown" || refusal === "expired";
  return isToken ? 'Bearer realm="toolkeep", error="invalid_token"' : 'Bearer realm="toolkeep"';
}

function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
