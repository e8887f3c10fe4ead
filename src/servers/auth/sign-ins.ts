import type { FetchLike } from "@modelcontextprotocol/client";
import type { Vault } from "../../call/vault/vault.ts";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Store } from "../../machine/db/store.ts";
import type { Grant } from "../../machine/oauth-client/auth-record.ts";
import { AuthRecords } from "./auth-records.ts";
import { BrowserSignIn, SignInDenied } from "./browser-sign-in.ts";
import { NeedsAuthError } from "./needs-auth-error.ts";
import { ServerAuth, type ServerAuthDeps } from "./server-auth.ts";
import { ownerOf, type SignInStart, type SignInStatus, type SignInTarget, signsIn } from "./sign-in.ts";
import { SignInNotices } from "./sign-in-notices.ts";

export interface SignInsDeps {
  readonly store: Pick<Store, "servers" | "notifications">;
  readonly vault: Pick<Vault, "seal" | "unseal" | "conceal" | "redact">;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => Pick<Settings, "net">;
}

const REQUEST_MS = 15_000;
const OPERATION_MS = 60_000;
const REVOKE_MS = 5_000;
/** Of one document or answer. */
const MAX_BYTES = 256 * 1024;

/**
 * Signing in to servers, once for all of Toolkeep. What outlives the process is sealed in the store, also a sign-in
 * that is half done; access tokens live in memory. Loads the OAuth code when it is first needed.
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

  /** What signs the requests to this server, shared by all its connections; null where only its headers count. */
  authFor(target: SignInTarget): ServerAuth | null {
    if (!signsIn(target.config)) return null;
    if (target.id === null) return new ServerAuth(target, this.#authDeps(new AuthRecords(this.#deps)));
    const existing = this.#auths.get(target.id);
    if (existing?.retarget(target)) return existing;
    existing?.retire();
    const auth = new ServerAuth(target, this.#authDeps(this.#records));
    this.#auths.set(target.id, auth);
    return auth;
  }

  /** Throws a ToolkeepError that says what is missing where a server cannot be signed in to. */
  async begin(target: SignInTarget, { redirectUri }: { redirectUri: string }): Promise<SignInStart> {
    const auth = this.#mustSignIn(target);
    this.#failures.delete(target.id!);
    try {
      if (target.config.oauth?.grant !== "client_credentials") {
        return await this.#withFetch(target, (fetchFn) => this.#browser.begin(target, redirectUri, fetchFn));
      }
      await auth.requestNow();
      return { url: null, expiresAt: null };
    } catch (error) {
      throw await this.#failed(target, error);
    }
  }

  /**
   * Ends the sign-in that the browser came back from. `find` gives the server of an id as it is now. Throws a
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
      this.authFor(target)?.adopt(tokens);
    } catch (error) {
      const failure = await this.#failed(target, error);
      await this.#browser.abandon(returned);
      throw failure;
    }
    this.#failures.delete(target.id!);
    await this.#notices.dismiss(target);
    return { serverId: target.id!, name: target.name };
  }

  /** Forgets everything that signing in left behind, here and, where it can be told, at the authorization server. */
  async signOut(target: SignInTarget): Promise<void> {
    const auth = this.#mustSignIn(target);
    const { grant } = await this.#records.read(ownerOf(target));
    const { held } = auth;
    auth.forget();
    this.#failures.delete(target.id!);
    // What the server asked for is nobody's secret, and spares the next sign-in a detour.
    await this.#records.change(ownerOf(target), ({ url, challenge }) =>
      challenge ? { url, challenge } : null,
    );
    if (grant) await this.#revoke(target, grant, held);
    await this.#notices.dismiss(target);
  }

  async status(target: SignInTarget): Promise<SignInStatus> {
    const { grant, pending } = await this.#records.read(ownerOf(target));
    const held = this.#auths.get(target.id!)?.held;
    const isPending = pending !== undefined && pending.expiresAt > this.#deps.clock();
    return {
      signedIn: held !== undefined || grant?.refreshToken !== undefined,
      signedInAt: grant?.at ?? null,
      pendingUntil: isPending ? pending.expiresAt : null,
      scope: this.#safe(grant?.scope),
      issuer: this.#safe(grant?.discovery.issuer),
      failure: this.#failures.get(target.id!) ?? null,
    };
  }

  /** Drops what is in memory about a server that is gone, and what was asked of people on its account. */
  async forget(serverId: string): Promise<void> {
    this.#auths.get(serverId)?.retire();
    this.#auths.delete(serverId);
    this.#failures.delete(serverId);
    await this.#notices.dismiss({ id: serverId });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("Toolkeep is closing"));
    await Promise.all([...this.#auths.values()].map((auth) => auth.settled()));
  }

  #mustSignIn(target: SignInTarget): ServerAuth {
    const auth = this.authFor(target);
    if (auth) return auth;
    const why =
      target.config.transport === "stdio"
        ? "it is a program on this machine, which is given what it needs in its env"
        : "it has an Authorization header, which is sent instead; remove the header to sign in";
    throw new ToolkeepError("BAD_REQUEST", `there is no signing in to ${target.name}: ${why}`);
  }

  async #revoke(target: SignInTarget, grant: Grant, held: string | undefined): Promise<void> {
    const { revoke } = await import("../../machine/oauth-client/oauth.ts");
    const tokens = [
      { value: grant.refreshToken, kind: "refresh_token" },
      { value: held, kind: "access_token" },
    ] as const;
    const revokeAll = async (fetchFn: FetchLike) => {
      for (const { value, kind } of tokens)
        if (value !== undefined) await revoke(grant, { value, kind }, target.config.oauth, fetchFn);
    };
    // Forgotten here it is in any case; there it ends by itself.
    await this.#withFetch(target, revokeAll, REVOKE_MS).catch((error: unknown) =>
      this.#deps.log.debug({ server: target.name, cause: messageOf(error) }, "a token could not be revoked"),
    );
  }

  /** What went wrong as an error for people, and kept for whoever asks how it went. */
  async #failed(target: SignInTarget, error: unknown): Promise<ToolkeepError> {
    if (error instanceof ToolkeepError) return error;
    const { oauthFailure } = await import("../../machine/oauth-client/oauth-failure.ts");
    const { vault } = this.#deps;
    const reason =
      error instanceof NeedsAuthError
        ? vault.redact(error.detail)
        : oauthFailure(error, (text) => vault.redact(text)).reason;
    this.#failures.set(target.id!, reason);
    const [code, remedy] =
      error instanceof SignInDenied
        ? (["FORBIDDEN", { remedy: `Try again: toolkeep server auth ${target.name}` }] as const)
        : (["BAD_REQUEST", {}] as const);
    return new ToolkeepError(code, `signing in to ${target.name} failed: ${reason}`, {
      cause: error,
      details: { server: target.name },
      ...remedy,
    });
  }

  /** What others have written, for people. */
  #safe(text: string | undefined): string | null {
    return text === undefined ? null : this.#deps.vault.redact(text);
  }

  #authDeps(records: AuthRecords): ServerAuthDeps {
    const withFetch: ServerAuthDeps["withFetch"] = (target, work) => this.#withFetch(target, work);
    return { ...this.#deps, records, notices: this.#notices, withFetch };
  }

  /** Every request that signing in makes, whoever named its address, goes through here and is bounded. */
  async #withFetch<T>(
    target: SignInTarget,
    work: (fetchFn: FetchLike) => Promise<T>,
    operationMs = OPERATION_MS,
  ): Promise<T> {
    const { openServerFetch } = await import("../transport/server-fetch.ts");
    const { config, isPersonNamed } = target;
    const { allowHosts } = this.#deps.settings().net;
    const guarded = await openServerFetch({ config, isPersonNamed, allowHosts, maxBytes: MAX_BYTES });
    const whole = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(operationMs)]);
    try {
      return await work((url, init) => {
        const signal = AbortSignal.any([whole, AbortSignal.timeout(REQUEST_MS)]);
        return guarded.fetch(url, { ...init, signal });
      });
    } finally {
      await guarded.close();
    }
  }
}
