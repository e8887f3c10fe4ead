import type { Identity, Principal, Refusal } from "../../../call/identity/identity.ts";
import { addressKey } from "../../../call/identity/rate-limits.ts";
import { metadataAddress, ownAddress } from "../../../call/identity/resource.ts";
import { bearerToken, hashToken } from "../../../call/identity/token.ts";
import { err, type Result } from "../../../lib/result.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { type AgentPrincipal, letIn, rateLimited, type Wanted } from "../authenticate.ts";
import type { HttpAnswer } from "../rpc-error.ts";

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
    const who = hash === undefined ? "missing" : this.#identity.ofHash(hash);
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

  #decide(who: Principal | Refusal, attempt: Attempt): Admitted {
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
