import type { IncomingMessage } from "node:http";
import type { AgentRecord } from "../../../call/identity/contract.ts";
import { type Identity, opens, type Principal, type TokenRefusal } from "../../../call/identity/identity.ts";
import { metadataAddress, OFFERED_SCOPES, ownAddress } from "../../../call/identity/resource.ts";
import { bearerToken, hashToken } from "../../../call/identity/token.ts";
import type { Caller, Host, Narrowing, Scope } from "../../../contract/caller.ts";
import { ERRORS } from "../../../contract/errors.ts";
import type { Hub } from "../../../hub.ts";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import { addressKey } from "../../../lib/flow/rate-limits.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { type HttpAnswer, RELAY_HEADER, RPC, rpcError } from "../messages.ts";

/** The tools that an address gives access to: everything the agent has, or the part that its path names. */
export interface Address {
  readonly narrowing?: Narrowing;
}

const EVERYTHING: Address = {};
const SERVER = "server/";

/** Parses a path below `/mcp`; undefined if it is malformed. */
export function parseAddress(path: string): Address | undefined {
  if (path === "/mcp" || path === "/mcp/") return EVERYTHING;
  const rest = path.slice("/mcp/".length);
  const isServer = rest.startsWith(SERVER);
  const segment = isServer ? rest.slice(SERVER.length) : rest;
  const name = segment.includes("/") ? undefined : decodeSegment(segment);
  if (name === undefined || name === "") return undefined;
  return { narrowing: isServer ? { server: name } : { toolbox: name } };
}

/**
 * Whether the agent has anything at an address. Addresses that do not exist and addresses of others look the same to
 * it.
 */
export function isOpenTo(
  address: Address,
  principal: AgentPrincipal,
  callers: Callers,
  { catalog, offers, upstream }: Pick<Hub, "catalog" | "offers" | "upstream">,
): boolean {
  const { narrowing } = address;
  if (!narrowing) return true;
  // First, so that nothing is created for names that a client made up.
  const exists =
    "toolbox" in narrowing
      ? catalog.toolboxes.byName.has(narrowing.toolbox)
      : upstream.hasServer(narrowing.server);
  if (!exists) return false;
  const caller = callers.getCaller(principal, "", address);
  if ("toolbox" in narrowing) return caller.toolboxes.includes(narrowing.toolbox);
  return catalog.holdsAny(caller) || offers.hasAny(caller);
}

export function isSameAddress({ narrowing: a }: Address, { narrowing: b }: Address): boolean {
  if (!a || !b) return a === b;
  if ("toolbox" in a) return "toolbox" in b && a.toolbox === b.toolbox;
  return "server" in b && a.server === b.server;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The agent behind a request, narrowed by its token. */
export type AgentPrincipal = Extract<Principal, { kind: "agent" }> & Pick<Caller, "withheld">;

/** The purpose of a request. */
export interface RequestTarget {
  /** The path as received, without query. */
  readonly path: string;
  /** The URL where clients read how to get a token; undefined if a person has to give them one. Called only when refusing. */
  readonly metadata: () => string | undefined;
}

const REFUSAL_TEXTS: Record<TokenRefusal, string> = {
  missing: "a bearer token is required and none came",
  unknown: "the bearer token is not known here",
  expired: "the bearer token has expired",
};

/** Identifies the sender of a request, or returns the answer that refuses it. */
export function authenticate(
  identity: Identity,
  authorization: string | undefined,
  target: RequestTarget = { path: "/mcp", metadata: () => undefined },
): Result<AgentPrincipal, HttpAnswer> {
  return admitPrincipal(identity.authenticate(bearerToken(authorization)), target);
}

/**
 * Refuses with 401 and a challenge if the token is unknown or for another address, and with 403 if it opens no tools. A
 * tool outside the token's scopes ends the call, not the request.
 */
export function admitPrincipal(
  who: Principal | TokenRefusal,
  target: RequestTarget,
): Result<AgentPrincipal, HttpAnswer> {
  if (who === "missing") return err(refuseUnauthorized(REFUSAL_TEXTS.missing, "", target));
  if (typeof who === "string") return err(refuseToken(REFUSAL_TEXTS[who], target));
  if (who.kind === "admin")
    return err(refuseScope("an admin token opens /api; /mcp needs an agent's", target));
  if (who.scopes?.length === 0) return err(refuseScope("the bearer token has no scope", target));
  if (!opens(who.resource, target.path))
    return err(refuseToken(`the bearer token was issued for ${who.resource} only`, target));
  return ok(who);
}

export function toRateLimitAnswer(message: string, retryAfterMs: number): HttpAnswer {
  const { remedy } = ERRORS.RATE_LIMITED;
  return rpcError(429, RPC.refused, `${message}. ${remedy}`, {
    headers: { "retry-after": String(Math.ceil(retryAfterMs / 1000)) },
    data: { code: "RATE_LIMITED", remedy, retryAfterMs },
  });
}

function refuseToken(message: string, target: RequestTarget): HttpAnswer {
  return refuseUnauthorized(message, `, error="invalid_token", error_description="${message}"`, target);
}

function refuseUnauthorized(message: string, problem: string, target: RequestTarget): HttpAnswer {
  const { remedy } = ERRORS.UNAUTHORIZED;
  return rpcError(401, RPC.refused, `${message}. ${remedy}`, {
    headers: { "www-authenticate": buildChallenge(problem, target) },
    data: { code: "UNAUTHORIZED", remedy },
  });
}

function refuseScope(message: string, target: RequestTarget): HttpAnswer {
  const remedy = "Use a token of an agent: toolkeep token create --agent NAME.";
  const problem = `, error="insufficient_scope", error_description="${message}"`;
  return rpcError(403, RPC.refused, `${message}. ${remedy}`, {
    headers: { "www-authenticate": buildChallenge(problem, target) },
    data: { code: "FORBIDDEN", remedy },
  });
}

/** Formats the challenge of RFC 6750 and RFC 9728. Nothing in it comes unchecked from the request. */
function buildChallenge(problem: string, { metadata }: RequestTarget): string {
  const address = metadata();
  const discovery =
    address === undefined ? "" : `, resource_metadata="${address}", scope="${OFFERED_SCOPES.join(" ")}"`;
  return `Bearer realm="toolkeep"${discovery}${problem}`;
}

/** With `stdio.writes: false`, clients of `toolkeep stdio` get only those tools of these scopes that read. */
const WRITE_SCOPES: readonly Scope[] = ["memory.write", "ingest", "sync", "files", "shell", "admin"];

/** Restricts a client of `toolkeep stdio` to reading if the settings say so. */
export function restrictRelayed(
  principal: AgentPrincipal,
  { headers }: Pick<IncomingMessage, "headers">,
  { stdio }: Pick<Settings, "stdio">,
): AgentPrincipal {
  const isReadOnly = headers[RELAY_HEADER] !== undefined && !stdio.writes;
  return isReadOnly ? { ...principal, withheld: WRITE_SCOPES } : principal;
}

/** The parts of a request that admission needs. */
export interface AdmissionRequest {
  readonly authorization: string | undefined;
  /** The Host header, already checked. */
  readonly host: string | undefined;
  /** The remote address of the connection. */
  readonly address: string | undefined;
  /** The connection, if it is a lasting one. */
  readonly connection?: object;
  /** The path as received, without query: `/mcp`, `/mcp/<toolbox>`, `/mcp/server/<name>`, `/rpc`. */
  readonly path: string;
}

/** An Authorization header with its token and hash. */
interface TokenHeader {
  readonly authorization: string | undefined;
  readonly token: string | undefined;
  readonly hash: string | undefined;
}

export type AdmissionResult = Result<AgentPrincipal, HttpAnswer>;

/**
 * The door of `/mcp` and `/rpc`: identifies the token, checks that it opens the path, and limits rates. A known token is
 * admitted however many wrong ones came from the same address, because many clients share one behind a proxy and on
 * this machine.
 */
export class Admission {
  readonly #identity: Identity;
  readonly #settings: () => Settings;
  /** The last header of each open connection, because most connections repeat it with every request. */
  readonly #tokenHeaders = new WeakMap<object, TokenHeader>();

  constructor(identity: Identity, settings: () => Settings) {
    this.#identity = identity;
    this.#settings = settings;
  }

  /** Returns a promise only for a token that another process on the same database may have just issued. */
  admit(request: AdmissionRequest): AdmissionResult | Promise<AdmissionResult> {
    const { token, hash } = this.#readToken(request);
    const who = hash === undefined ? "missing" : this.#identity.authenticateHash(hash);
    return who === "unknown" ? this.#retryUnknown(token, request) : this.#decide(who, request);
  }

  #readToken({ authorization, connection }: AdmissionRequest): TokenHeader {
    const previous = connection && this.#tokenHeaders.get(connection);
    if (previous && previous.authorization === authorization) return previous;
    const token = bearerToken(authorization);
    const header = { authorization, token, hash: token === undefined ? undefined : hashToken(token) };
    if (connection) this.#tokenHeaders.set(connection, header);
    return header;
  }

  #decide(who: Principal | TokenRefusal, request: AdmissionRequest): AdmissionResult {
    const admitted = admitPrincipal(who, this.#toTarget(request));
    if (!admitted.ok) return admitted;
    const { tokenId, requestsPerMinute } = admitted.value;
    const limit = requestsPerMinute ?? this.#settings().rateLimits.requestsPerMinute;
    const wait = this.#identity.requests.take(tokenId, limit);
    return wait === 0
      ? admitted
      : err(toRateLimitAnswer(`the token may make ${limit} requests a minute`, wait));
  }

  /** Counts the messages of a batch beyond the first; returns the refusal if there are too many. */
  admitBatch({ tokenId, requestsPerMinute }: AgentPrincipal, messages: number): HttpAnswer | undefined {
    const limit = requestsPerMinute ?? this.#settings().rateLimits.requestsPerMinute;
    for (let count = 1; count < messages; count++) {
      const wait = this.#identity.requests.take(tokenId, limit);
      if (wait > 0) return toRateLimitAnswer(`the token may make ${limit} requests a minute`, wait);
    }
    return undefined;
  }

  #retryUnknown(
    token: string | undefined,
    request: AdmissionRequest,
  ): AdmissionResult | Promise<AdmissionResult> {
    const limit = this.#settings().rateLimits.failuresPerMinute;
    const wait = this.#identity.failures.take(addressKey(request.address), limit);
    if (wait > 0)
      return err(
        toRateLimitAnswer(`more than ${limit} unknown tokens a minute came from this address`, wait),
      );
    if (!this.#identity.mayBeNew(token)) return this.#decide("unknown", request);
    return this.#identity.authenticateNew(token).then((who) => this.#decide(who, request));
  }

  #toTarget({ path, host }: AdmissionRequest): RequestTarget {
    return {
      path,
      metadata: () => {
        const settings = this.#settings();
        return settings.oauthServer.enabled ? metadataAddress(ownAddress(settings, host), path) : undefined;
      },
    };
  }
}

const MAX_CACHED = 2_000;

interface CachedCaller {
  readonly agent: AgentRecord;
  readonly scopes: Caller["scopes"];
  readonly caller: Caller;
}

/** Caches callers: one stays the same object while nothing about it changes, so that caches can be keyed by it. */
export class Callers {
  readonly #identity: Identity;
  readonly #cache = new BoundedMap<string, CachedCaller>(MAX_CACHED);

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  getCaller(
    principal: Pick<AgentPrincipal, "agent" | "tokenId" | "scopes" | "interactive" | "withheld">,
    conversation: string,
    { narrowing }: Address,
    host?: Host,
  ): Caller {
    const { agent, tokenId, scopes, interactive, withheld } = principal;
    const variant =
      narrowing || host || withheld
        ? JSON.stringify([narrowing ?? null, host ?? null, withheld ?? null])
        : "";
    const key = `${tokenId} ${variant} ${conversation}`;
    const cached = this.#cache.get(key);
    // A changed agent has a new record, and changed scopes are a new array.
    if (cached && cached.agent === agent && cached.scopes === scopes) return cached.caller;
    const caller = {
      ...this.#identity.callerFor(agent, { tokenId, scopes, conversation, interactive }),
      ...(withheld && { withheld }),
      ...(narrowing && { narrowing }),
      ...(host && { host }),
    };
    this.#cache.set(key, { agent, scopes, caller });
    return caller;
  }
}
