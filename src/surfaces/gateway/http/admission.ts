import type { IncomingMessage } from "node:http";
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
import type { AgentRecord } from "../../../machine/db/store.ts";
import { type HttpAnswer, RELAY_HEADER, RPC, rpcError } from "../messages.ts";

/** What an address gives: everything the agent has, or the smaller part that its path names. */
export interface Address {
  readonly narrowing?: Narrowing;
}

const EVERYTHING: Address = {};
const SERVER = "server/";

/** The address of a path below `/mcp`; undefined for one that is malformed. */
export function addressOf(path: string): Address | undefined {
  if (path === "/mcp" || path === "/mcp/") return EVERYTHING;
  const rest = path.slice("/mcp/".length);
  const isServer = rest.startsWith(SERVER);
  const segment = isServer ? rest.slice(SERVER.length) : rest;
  const name = segment.includes("/") ? undefined : decoded(segment);
  if (name === undefined || name === "") return undefined;
  return { narrowing: isServer ? { server: name } : { toolbox: name } };
}

/**
 * Whether there is anything for the agent at an address. What does not exist and what is not the agent's are the
 * same to it.
 */
export function isOpenTo(
  address: Address,
  principal: AgentPrincipal,
  callers: Callers,
  { catalog, offers, upstream }: Pick<Hub, "catalog" | "offers" | "upstream">,
): boolean {
  const { narrowing } = address;
  if (!narrowing) return true;
  // Before anything is made for it: names are the client's word.
  const exists =
    "toolbox" in narrowing
      ? catalog.toolboxes.byName.has(narrowing.toolbox)
      : upstream.knows(narrowing.server);
  if (!exists) return false;
  const caller = callers.for(principal, "", address);
  if ("toolbox" in narrowing) return caller.toolboxes.includes(narrowing.toolbox);
  return catalog.holdsAny(caller) || offers.hasAny(caller);
}

export function isSameAddress({ narrowing: a }: Address, { narrowing: b }: Address): boolean {
  if (!a || !b) return a === b;
  if ("toolbox" in a) return "toolbox" in b && a.toolbox === b.toolbox;
  return "server" in b && a.server === b.server;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The agent behind a request, seen through its token. */
export type AgentPrincipal = Extract<Principal, { kind: "agent" }> & Pick<Caller, "withheld">;

/** What a request is for. */
export interface Wanted {
  /** As it came, without query. */
  readonly path: string;
  /** Where clients read how to get a token; undefined where a person has to hand them one. Asked only when refusing. */
  readonly metadata: () => string | undefined;
}

const WHY: Record<TokenRefusal, string> = {
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
export function letIn(who: Principal | TokenRefusal, wanted: Wanted): Result<AgentPrincipal, HttpAnswer> {
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

/** With `stdio.writes: false` a client on `toolkeep stdio` gets only those tools of these scopes that read. */
const WRITES: readonly Scope[] = ["memory.write", "ingest", "sync", "files", "shell", "admin"];

/** Narrows a client on `toolkeep stdio` to reading, where the settings say so. */
export function relayed(
  principal: AgentPrincipal,
  { headers }: Pick<IncomingMessage, "headers">,
  { stdio }: Pick<Settings, "stdio">,
): AgentPrincipal {
  const isReadOnly = headers[RELAY_HEADER] !== undefined && !stdio.writes;
  return isReadOnly ? { ...principal, withheld: WRITES } : principal;
}

/** As much of a request as it takes to let it in. */
export interface Attempt {
  readonly authorization: string | undefined;
  /** The Host header, checked before. */
  readonly host: string | undefined;
  /** Of whoever holds the other end of the connection. */
  readonly address: string | undefined;
  /** That connection, where it is one that lasts. */
  readonly connection?: object;
  /** As it came, without query: `/mcp`, `/mcp/<toolbox>`, `/mcp/server/<name>`, `/rpc`. */
  readonly path: string;
}

/** The token of a header, and its hash. */
interface Brought {
  readonly authorization: string | undefined;
  readonly token: string | undefined;
  readonly hash: string | undefined;
}

export type Admitted = Result<AgentPrincipal, HttpAnswer>;

/**
 * The door of `/mcp` and `/rpc`: whose token it is, whether it opens this path, and whether it or its address comes too
 * often. A token that is known is let in however many wrong ones came from the same address: behind a proxy, and on
 * this machine, many share one.
 */
export class Admission {
  readonly #identity: Identity;
  readonly #settings: () => Settings;
  /** What came last over a connection, as long as that is open: with most of them it is the same each time. */
  readonly #brought = new WeakMap<object, Brought>();

  constructor(identity: Identity, settings: () => Settings) {
    this.#identity = identity;
    this.#settings = settings;
  }

  /** A promise only for a token that another process on the same database may have issued a moment ago. */
  admit(attempt: Attempt): Admitted | Promise<Admitted> {
    const { token, hash } = this.#bringing(attempt);
    const who = hash === undefined ? "missing" : this.#identity.authenticateHash(hash);
    return who === "unknown" ? this.#lookAgain(token, attempt) : this.#decide(who, attempt);
  }

  #bringing({ authorization, connection }: Attempt): Brought {
    const before = connection && this.#brought.get(connection);
    if (before && before.authorization === authorization) return before;
    const token = bearerToken(authorization);
    const brought = { authorization, token, hash: token === undefined ? undefined : hashToken(token) };
    if (connection) this.#brought.set(connection, brought);
    return brought;
  }

  #decide(who: Principal | TokenRefusal, attempt: Attempt): Admitted {
    const admitted = letIn(who, this.#wanted(attempt));
    if (!admitted.ok) return admitted;
    const { tokenId, requestsPerMinute } = admitted.value;
    const limit = requestsPerMinute ?? this.#settings().rateLimits.requestsPerMinute;
    const wait = this.#identity.requests.take(tokenId, limit);
    return wait === 0 ? admitted : err(rateLimited(`the token may make ${limit} requests a minute`, wait));
  }

  /** Counts what a batch holds beside its first message; the answer to one that holds too many. */
  admitBatch({ tokenId, requestsPerMinute }: AgentPrincipal, messages: number): HttpAnswer | undefined {
    const limit = requestsPerMinute ?? this.#settings().rateLimits.requestsPerMinute;
    for (let count = 1; count < messages; count++) {
      const wait = this.#identity.requests.take(tokenId, limit);
      if (wait > 0) return rateLimited(`the token may make ${limit} requests a minute`, wait);
    }
    return undefined;
  }

  #lookAgain(token: string | undefined, attempt: Attempt): Admitted | Promise<Admitted> {
    const limit = this.#settings().rateLimits.failuresPerMinute;
    const wait = this.#identity.failures.take(addressKey(attempt.address), limit);
    if (wait > 0)
      return err(rateLimited(`more than ${limit} unknown tokens a minute came from this address`, wait));
    if (!this.#identity.mayBeNew(token)) return this.#decide("unknown", attempt);
    return this.#identity.authenticateNew(token).then((who) => this.#decide(who, attempt));
  }

  #wanted({ path, host }: Attempt): Wanted {
    return {
      path,
      metadata: () => {
        const settings = this.#settings();
        return settings.oauthServer.enabled ? metadataAddress(ownAddress(settings, host), path) : undefined;
      },
    };
  }
}

const MAX_KEPT = 2_000;

interface Kept {
  readonly agent: AgentRecord;
  readonly scopes: Caller["scopes"];
  readonly caller: Caller;
}

/** Callers, the same object as long as nothing about them changed: what follows from one is then known by it. */
export class Callers {
  readonly #identity: Identity;
  readonly #kept = new BoundedMap<string, Kept>(MAX_KEPT);

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  for(
    principal: Pick<AgentPrincipal, "agent" | "tokenId" | "scopes" | "interactive" | "withheld">,
    conversation: string,
    { narrowing }: Address,
    host?: Host,
  ): Caller {
    const { agent, tokenId, scopes, interactive, withheld } = principal;
    const place =
      narrowing || host || withheld
        ? JSON.stringify([narrowing ?? null, host ?? null, withheld ?? null])
        : "";
    const key = `${tokenId} ${place} ${conversation}`;
    const kept = this.#kept.get(key);
    // A changed agent is another record, and so is a token with other scopes.
    if (kept && kept.agent === agent && kept.scopes === scopes) return kept.caller;
    const caller = {
      ...this.#identity.callerFor(agent, { tokenId, scopes, conversation, interactive }),
      ...(withheld && { withheld }),
      ...(narrowing && { narrowing }),
      ...(host && { host }),
    };
    this.#kept.set(key, { agent, scopes, caller });
    return caller;
  }
}
