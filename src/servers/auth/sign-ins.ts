import type { FetchLike } from "@modelcontextprotocol/client";
import type { Vault } from "../../call/vault/vault.ts";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Grant } from "../../machine/oauth-client/auth-record.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import { AuthRecords } from "./auth-records.ts";
import { BrowserSignIn, SignInDeniedError } from "./browser-sign-in.ts";
import type { SignInStart, SignInStatus } from "./contract.ts";
import { NeedsAuthError } from "./needs-auth-error.ts";
import { ServerAuth, type ServerAuthDeps } from "./server-auth.ts";
import { canSignIn, type SignInTarget, toRecordOwner } from "./sign-in.ts";
import { SignInNotices } from "./sign-in-notices.ts";

export interface SignInsDeps {
  readonly store: Pick<ServerTables, "servers" | "notifications">;
  readonly vault: Pick<Vault, "seal" | "unseal" | "conceal" | "redact">;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => Pick<Settings, "net">;
}

const REQUEST_MS = 15_000;
const OPERATION_MS = 60_000;
const REVOKE_MS = 5_000;
/** The limit for one document or answer. */
const MAX_BYTES = 256 * 1024;

/**
 * Signs in to servers, once for the whole of Toolkeep. Whatever outlives the process is sealed in the store, including an
 * unfinished sign-in; access tokens stay in memory. Loads the OAuth code on first use.
 */
export class SignIns {
  readonly #deps: SignInsDeps;
  readonly #records: AuthRecords;
  readonly #notices: SignInNotices;
  readonly #browser: BrowserSignIn;
  readonly #auths = new Map<string, ServerAuth>();
  readonly #failures = new Map<string, string>();
  readonly #closing = new AbortController();

  constructor(deps: SignInsDeps) {
    this.#deps = deps;
    this.#records = new AuthRecords(deps);
    this.#notices = new SignInNotices(deps);
    this.#browser = new BrowserSignIn({ ...deps, records: this.#records });
  }

  /** Signs the requests to this server, shared by all its connections; null if only its headers are sent. */
  getAuth(target: SignInTarget): ServerAuth | null {
    if (!canSignIn(target.config)) return null;
    if (target.id === null) return new ServerAuth(target, this.#authDeps(new AuthRecords(this.#deps)));
    const existing = this.#auths.get(target.id);
    if (existing?.retarget(target)) return existing;
    existing?.retire();
    const auth = new ServerAuth(target, this.#authDeps(this.#records));
    this.#auths.set(target.id, auth);
    return auth;
  }

  /** Throws a ToolkeepError that says what is missing if signing in is not possible. */
  async begin(target: SignInTarget, { redirectUri }: { redirectUri: string }): Promise<SignInStart> {
    const auth = this.#requireAuth(target);
    this.#failures.delete(target.id!);
    try {
      if (target.config.oauth?.grant !== "client_credentials") {
        return await this.#withFetch(target, (fetchFn) => this.#browser.begin(target, redirectUri, fetchFn));
      }
      await auth.requestNow();
      return { url: null, expiresAt: null };
    } catch (error) {
      throw await this.#toFailure(target, error);
    }
  }

  /**
   * Completes the sign-in that the browser came back from. `find` returns the current server of an id. Throws a
   * ToolkeepError for people; then nobody is signed in.
   */
  async complete(
    answer: URLSearchParams,
    find: (serverId: string) => SignInTarget | undefined,
  ): Promise<{ readonly serverId: string; readonly name: string }> {
    const returned = await this.#browser.take(answer.get("state") ?? "", find);
    const { target } = returned;
    try {
      const tokens = await this.#withFetch(target, (fetchFn) =>
        this.#browser.redeem(returned, answer, fetchFn),
      );
      this.getAuth(target)?.adopt(tokens);
    } catch (error) {
      const failure = await this.#toFailure(target, error);
      await this.#browser.abandon(returned);
      throw failure;
    }
    this.#failures.delete(target.id!);
    await this.#notices.dismiss(target);
    return { serverId: target.id!, name: target.name };
  }

  /** Forgets everything about the sign-in, here and, if possible, at the authorization server. */
  async signOut(target: SignInTarget): Promise<void> {
    const auth = this.#requireAuth(target);
    const { grant } = await this.#records.read(toRecordOwner(target));
    const { currentToken } = auth;
    auth.forget();
    this.#failures.delete(target.id!);
    // The server's challenge is no secret, and saves the next sign-in a request.
    await this.#records.change(toRecordOwner(target), ({ url, challenge }) =>
      challenge ? { url, challenge } : null,
    );
    if (grant) await this.#revoke(target, grant, currentToken);
    await this.#notices.dismiss(target);
  }

  async status(target: SignInTarget): Promise<SignInStatus> {
    const { grant, pending } = await this.#records.read(toRecordOwner(target));
    const accessToken = this.#auths.get(target.id!)?.currentToken;
    const isPending = pending !== undefined && pending.expiresAt > this.#deps.clock();
    return {
      signedIn: accessToken !== undefined || grant?.refreshToken !== undefined,
      signedInAt: grant?.at ?? null,
      pendingUntil: isPending ? pending.expiresAt : null,
      scope: this.#redact(grant?.scope),
      issuer: this.#redact(grant?.discovery.issuer),
      failure: this.#failures.get(target.id!) ?? null,
    };
  }

  /** Drops what is in memory about a removed server, and dismisses its notifications. */
  async forget(serverId: string): Promise<void> {
    this.#auths.get(serverId)?.retire();
    this.#auths.delete(serverId);
    this.#failures.delete(serverId);
    await this.#notices.dismiss({ id: serverId });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("Toolkeep is closing"));
    await Promise.all([...this.#auths.values()].map((auth) => auth.waitUntilIdle()));
  }

  #requireAuth(target: SignInTarget): ServerAuth {
    const auth = this.getAuth(target);
    if (auth) return auth;
    const why =
      target.config.transport === "stdio"
        ? "it is a program on this machine, which is given what it needs in its env"
        : "it has an Authorization header, which is sent instead; remove the header to sign in";
    throw new ToolkeepError("BAD_REQUEST", `${target.name} has no sign-in: ${why}`);
  }

  async #revoke(target: SignInTarget, grant: Grant, accessToken: string | undefined): Promise<void> {
    const { revoke } = await import("../../machine/oauth-client/oauth.ts");
    const tokens = [
      { value: grant.refreshToken, kind: "refresh_token" },
      { value: accessToken, kind: "access_token" },
    ] as const;
    const revokeAll = async (fetchFn: FetchLike) => {
      for (const { value, kind } of tokens)
        if (value !== undefined) await revoke(grant, { value, kind }, target.config.oauth, fetchFn);
    };
    // It is forgotten here in any case, and expires there by itself.
    await this.#withFetch(target, revokeAll, REVOKE_MS).catch((error: unknown) =>
      this.#deps.log.debug(
        { server: target.name, cause: messageOf(error) },
        "servers: a token could not be revoked",
      ),
    );
  }

  /** Turns a failure into an error for people and remembers it for `status`. */
  async #toFailure(target: SignInTarget, error: unknown): Promise<ToolkeepError> {
    if (error instanceof ToolkeepError) return error;
    const { oauthFailure } = await import("../../machine/oauth-client/oauth-failure.ts");
    const { vault } = this.#deps;
    const reason =
      error instanceof NeedsAuthError
        ? vault.redact(error.detail)
        : oauthFailure(error, (text) => vault.redact(text)).reason;
    this.#failures.set(target.id!, reason);
    const [code, remedy] =
      error instanceof SignInDeniedError
        ? (["FORBIDDEN", { remedy: `Try again: toolkeep server auth ${target.name}` }] as const)
        : (["BAD_REQUEST", {}] as const);
    return new ToolkeepError(code, `signing in to ${target.name} failed: ${reason}`, {
      cause: error,
      details: { server: target.name },
      ...remedy,
    });
  }

  /** Redacts text written by others before people see it. */
  #redact(text: string | undefined): string | null {
    return text === undefined ? null : this.#deps.vault.redact(text);
  }

  #authDeps(records: AuthRecords): ServerAuthDeps {
    const withFetch: ServerAuthDeps["withFetch"] = (target, work) => this.#withFetch(target, work);
    return { ...this.#deps, records, notices: this.#notices, withFetch };
  }

  /** Every request of a sign-in goes through here and is bounded, no matter who named its address. */
  async #withFetch<T>(
    target: SignInTarget,
    work: (fetchFn: FetchLike) => Promise<T>,
    operationMs = OPERATION_MS,
  ): Promise<T> {
    const { openServerFetch } = await import("../transport/server-fetch.ts");
    const { config, isPersonNamed } = target;
    const { allowHosts } = this.#deps.settings().net;
    const guarded = await openServerFetch({ config, isPersonNamed, allowHosts, maxBytes: MAX_BYTES });
    const operation = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(operationMs)]);
    try {
      return await work((url, init) => {
        const signal = AbortSignal.any([operation, AbortSignal.timeout(REQUEST_MS)]);
        return guarded.fetch(url, { ...init, signal });
      });
    } finally {
      await guarded.close();
    }
  }
}
