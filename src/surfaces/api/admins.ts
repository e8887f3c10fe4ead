import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { type OperatorInfo, operatorOf } from "../../call/identity/callers.ts";
import type { Identity, TokenRefusal } from "../../call/identity/identity.ts";
import type { People } from "../../call/identity/people.ts";
import type { ActiveSession } from "../../call/identity/sessions.ts";
import { bearerToken } from "../../call/identity/token.ts";
import { covers, type Role } from "../../contract/caller.ts";
import type { RouteActor } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { checkRate, countFailure } from "./failure-rate.ts";
import { checkSameOrigin } from "./pages/same-origin.ts";
import { sessionOf } from "./pages/session-cookie.ts";
import { roleFor } from "./route-role.ts";

export type Actor = Omit<RouteActor, "role">;

/** What lets somebody in, for as long as it does. */
export interface Admission {
  readonly actor: Actor;
  readonly role: Role;
  /** Where they came with a session: what the browser brought, and whose it is. */
  readonly session?: { readonly secret: string } & ActiveSession;
  /** Whether the route would still be open to them. */
  isValid(): boolean;
}

export interface AdminDeps {
  readonly identity: Pick<
    Identity,
    "authenticate" | "mayBeNew" | "authenticateNew" | "tokens" | "requests" | "failures"
  >;
  readonly people: Pick<People, "owner" | "sessions">;
  readonly clock: Clock;
  /** Accepted beside the admin tokens of the store; whoever has it holds the home. */
  readonly adminToken: string;
  /** Where people reach this process. */
  readonly url: () => string;
  readonly rateLimits: () => Settings["rateLimits"];
}

/** Who may use `/api`: admin tokens, and people with a session at the page; each as far as its role goes. */
export class Admins {
  readonly #deps: AdminDeps;
  readonly #admitted = new WeakMap<FastifyRequest, Admission>();

  constructor(deps: AdminDeps) {
    this.#deps = deps;
  }

  /**
   * Lets those pass who have the role that the route wants. Too small a role, and an agent's token, are FORBIDDEN;
   * anything else UNAUTHORIZED, with the challenge header.
   */
  get hook(): onRequestAsyncHookHandler {
    return async (request, reply) => {
      const wanted = roleFor(request.method, request.routeOptions.schema);
      const admission = await this.#admit(request, reply, wanted);
      if (typeof admission === "string") {
        reply.header("www-authenticate", challenge(admission));
        throw new ToolkeepError("UNAUTHORIZED", REFUSALS[admission]);
      }
      this.#admitted.set(request, admission);
      if (!covers(admission.role, wanted)) throw tooSmall(request, admission, wanted);
      if (admission.session) checkSameOrigin(request, this.#deps.url(), admission.session.secret);
    };
  }

  /** Who a request came from, once it is known, also where their role was too small. */
  admission(request: FastifyRequest): Admission | undefined {
    return this.#admitted.get(request);
  }

  /** The admission of a request that passed the hook. */
  admitted(request: FastifyRequest): Admission {
    const admission = this.#admitted.get(request);
    if (!admission) throw new Error("a route asked who came, but let everybody in");
    return admission;
  }

  async #admit(request: FastifyRequest, reply: FastifyReply, wanted: Role): Promise<Admission | Refused> {
    const isToken = request.headers.authorization !== undefined;
    const secret = isToken ? undefined : sessionOf(request, this.#deps.url());
    return secret === undefined
      ? this.#byToken(request, reply)
      : this.#bySession(request, reply, secret, wanted);
  }

  async #byToken(request: FastifyRequest, reply: FastifyReply): Promise<Admission | Refused> {
    const { identity, people, adminToken, clock, rateLimits } = this.#deps;
    const token = bearerToken(request.headers.authorization);
    if (token !== undefined && isSameSecret(token, adminToken)) {
      const { id, name } = people.owner;
      return { actor: { kind: "person", id, name }, role: "admin", isValid: () => true };
    }

    let principal = identity.authenticate(token);
    if (principal === "unknown") {
      countFailure(request, reply, this.#deps);
      // Another process on the same database may have issued it a moment ago.
      if (identity.mayBeNew(token)) principal = await identity.authenticateNew(token);
    }
    if (typeof principal === "string") return principal;
    const limit = principal.requestsPerMinute ?? rateLimits().requestsPerMinute;
    checkRate(identity.requests.take(principal.tokenId, limit), reply);
    if (principal.kind !== "admin") {
      throw new ToolkeepError("FORBIDDEN", "this is an agent's token; it opens /mcp and /rpc, not /api");
    }
    const { tokenId, label, role } = principal;
    const isIt = ({ id, expiresAt }: { id: string; expiresAt: number | null }) =>
      id === tokenId && (expiresAt === null || expiresAt > clock());
    return {
      actor: { kind: "token", id: tokenId, name: label || tokenId },
      role,
      isValid: () => identity.tokens().some(isIt),
    };
  }

  async #bySession(
    request: FastifyRequest,
    reply: FastifyReply,
    secret: string,
    wanted: Role,
  ): Promise<Admission | Refused> {
    const { sessions } = this.#deps.people;
    const found = await sessions.recognise(secret);
    if (!found) {
      countFailure(request, reply, this.#deps);
      return "ended";
    }
    const { session, person } = found;
    return {
      actor: { kind: "person", id: person.id, name: person.name },
      role: person.role,
      session: { secret, session, person },
      isValid() {
        const now = sessions.current(session);
        return now !== undefined && covers(now.person.role, wanted);
      },
    };
  }
}

/** Whoever was let in, as a caller of tools. */
export function actingOf({ actor, role }: Admission): OperatorInfo {
  return operatorOf({ ...actor, role });
}

function tooSmall({ method, routeOptions }: FastifyRequest, { actor, role }: Admission, wanted: Role) {
  const who = actor.kind === "person" ? actor.name : `the token ${actor.name}`;
  return new ToolkeepError(
    "FORBIDDEN",
    `${method} ${routeOptions.url ?? ""} wants the role ${wanted}; ${who} has the role ${role}`,
    {
      remedy:
        actor.kind === "person"
          ? `Ask an admin: toolkeep person edit ${actor.name} --role ${wanted}.`
          : `Use a token with that role: toolkeep token create --admin --role ${wanted}.`,
      details: { role, wanted },
    },
  );
}

type Refused = TokenRefusal | "ended";

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
