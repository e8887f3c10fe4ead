import type { FetchLike } from "@modelcontextprotocol/client";
import type { Vault } from "../../call/vault/vault.ts";
import { messageOf } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { stableJson } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import type { OAuthConfig } from "../../machine/config/settings.ts";
import type { AuthRecord, Discovery, Grant } from "../../machine/oauth-client/auth-record.ts";
import { clientOf, whySecretStays } from "../../machine/oauth-client/configured-client.ts";
import type { Tokens } from "../../machine/oauth-client/oauth.ts";
import type { AuthRecords } from "./auth-records.ts";
import { type Challenge, NeedsAuthError } from "./needs-auth-error.ts";
import { ownerOf, type SignInTarget } from "./sign-in.ts";
import type { SignInNotices } from "./sign-in-notices.ts";

export interface ServerAuthDeps {
  readonly records: AuthRecords;
  readonly notices: SignInNotices;
  readonly vault: Pick<Vault, "conceal" | "redact">;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs `work` with a guarded fetch that is closed afterwards. */
  readonly withFetch: <T>(target: SignInTarget, work: (fetchFn: FetchLike) => Promise<T>) => Promise<T>;
}

interface Access {
  readonly token: string;
  /** When it is renewed, and when it is over; infinite: when it is refused. */
  readonly dueAt: number;
  readonly endsAt: number;
}

/** Renewed this long before its end, or after nine tenths of a short life. */
const RENEW_BEFORE_MS = 60_000;
const RETRY_RENEWAL_MS = 10_000;
const MAX_SHOWN_SCOPE = 200;

/**
 * The access token of one server, in memory only, shared by all its connections. It is renewed once for all who
 * wait for it: shortly before its end, and when the server refuses it.
 */
export class ServerAuth {
  readonly #deps: ServerAuthDeps;
  readonly #serial = createSerial();
  #target: SignInTarget;
  #access: Access | undefined;
  #renewing: Promise<void> | undefined;
  /** False once nothing was found that a token could be had for. */
  #mayRenew = true;
  /** Set once the server asked for a token. Without a person there is no need to get one before. */
  #isWanted = false;
  /** A renewal that could not be stored: what the store holds in its place is void. */
  #unstored: { readonly replaced: string; readonly refreshToken: string } | undefined;
  #isRetired = false;
  #credentials: { readonly discovery: Discovery; readonly scope: string | undefined } | undefined;

  constructor(target: SignInTarget, deps: ServerAuthDeps) {
    this.#target = target;
    this.#deps = deps;
  }

  /**
   * Takes over the configuration as it is now, and looks again for what another process may have stored. False where
   * the server is another one now: a token of the one must never reach the other.
   */
  retarget(target: SignInTarget): boolean {
    if (reachOf(target) !== reachOf(this.#target)) return false;
    this.#target = target;
    this.#mayRenew = true;
    return true;
  }

  /** Requests under way may still end; nothing that they bring is kept. */
  retire(): void {
    this.#isRetired = true;
    this.forget();
  }

  /** The token in hand, whatever its state. */
  get held(): string | undefined {
    return this.#access?.token;
  }

  /**
   * The token for the next request; undefined where nobody has signed in. Rejects when it is over and cannot be
   * renewed: with a NeedsAuthError where a person has to act.
   */
  async token(): Promise<string | undefined> {
    const access = this.#access;
    const now = this.#deps.clock();
    if (access && now < access.dueAt) return access.token;
    if (access && now < access.endsAt) {
      // Nobody waits for a renewal while there is a good token; one that fails is tried again a little later.
      this.#access = { ...access, dueAt: now + RETRY_RENEWAL_MS };
      void this.#renewOnce().catch((error: unknown) => this.#warn("its sign-in was not renewed", error));
      return access.token;
    }
    this.#access = undefined;
    await this.#renewOnce();
    return this.held;
  }

  /** After a 401. Resolves when another token is there to try; else rejects with what to do. */
  async refused(token: string | undefined, challenge: Challenge): Promise<void> {
    if (this.#access && this.#access.token !== token) return;
    this.#access = undefined;
    this.#isWanted = true;
    const { grant } = await this.#note(challenge);
    // Others may have been refused with the same token, and have another by now.
    if (this.held === undefined) await this.#renewOnce();
    if (this.held !== undefined) return;
    throw await this.#needsSignIn(grant ? "the last sign-in has run out" : "nobody has signed in to it yet");
  }

  /** After a 401 to a token that had just been issued. */
  async refusedAgain(): Promise<NeedsAuthError> {
    this.#access = undefined;
    this.#credentials = undefined;
    return await this.#needsSignIn("it refuses a token that was issued for it just now");
  }

  /** After a 403 that names scopes. Resolves when a token with more of them is there to try; else rejects. */
  insufficient(token: string | undefined, challenge: Challenge): Promise<void> {
    // One after the other: what the first gets is enough for all.
    return this.#serial("scopes", () => this.#widen(token, challenge));
  }

  /** Starts to use what a sign-in brought. */
  adopt(tokens: Tokens): void {
    const { clock, vault } = this.#deps;
    conceal(tokens, this.#target, vault);
    const { lifeMs = Number.POSITIVE_INFINITY } = tokens;
    const endsAt = clock() + lifeMs;
    const dueAt = Number.isFinite(lifeMs) ? endsAt - Math.min(RENEW_BEFORE_MS, lifeMs / 10) : endsAt;
    this.#access = { token: tokens.accessToken, dueAt, endsAt };
    this.#mayRenew = true;
  }

  /** Gets a token without a person, now. */
  async requestNow(): Promise<void> {
    this.#access = undefined;
    this.#isWanted = true;
    this.#mayRenew = true;
    this.#credentials = undefined;
    await this.#renewOnce();
  }

  /** Resolves when no renewal is under way. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {});
  }

  forget(): void {
    this.#access = undefined;
    this.#credentials = undefined;
    this.#unstored = undefined;
    this.#mayRenew = true;
  }

  get #oauth(): OAuthConfig | null {
    return this.#target.config.oauth;
  }

  async #widen(token: string | undefined, challenge: Challenge): Promise<void> {
    if (this.#access && this.#access.token !== token) return;
    const { isMore } = await import("../../machine/oauth-client/oauth.ts");
    const isOurs = this.#oauth?.grant === "client_credentials";
    const { asked } = await this.#deps.records.read(ownerOf(this.#target));
    const before = isOurs ? this.#credentials?.scope : asked?.scope;
    // Asked for and not granted, or granted and not enough: the next attempt would end the same.
    if (!isMore(challenge.scope, before)) throw await this.#stillRefused(challenge);
    await this.#note(challenge);
    if (!isOurs) throw await this.#needsScope(challenge);
    this.#access = undefined;
    await this.#renewOnce();
  }

  async #renewOnce(): Promise<void> {
    if (!this.#mayRenew) return;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    if (this.#oauth?.grant === "client_credentials") {
      if (this.#isWanted) await this.#requestCredentials(this.#oauth);
      return;
    }
    let refusedToken: string | undefined;
    // Twice, because another process may have renewed it first: then the store has the new one.
    for (let attempt = 0; attempt < 2; attempt++) {
      const grant = await this.#storedGrant();
      if (grant?.refreshToken === undefined || grant.refreshToken === refusedToken) break;
      refusedToken = await this.#refresh(grant, grant.refreshToken);
      if (refusedToken === undefined) return;
    }
    if (refusedToken === undefined) this.#mayRenew = false;
    else await this.#endGrant(refusedToken, "it has run out");
  }

  async #storedGrant(): Promise<Grant | undefined> {
    const { grant } = await this.#deps.records.read(ownerOf(this.#target));
    const unstored = this.#unstored;
    if (grant?.refreshToken === undefined || grant.refreshToken !== unstored?.replaced) return grant;
    return { ...grant, refreshToken: unstored.refreshToken };
  }

  /** Undefined, or the refresh token that is no longer accepted. Rejects for everything else that goes wrong. */
  async #refresh(grant: Grant, refreshToken: string): Promise<string | undefined> {
    const { renew } = await import("../../machine/oauth-client/oauth.ts");
    const { oauthFailure } = await import("../../machine/oauth-client/oauth-failure.ts");
    const { vault, withFetch } = this.#deps;
    let tokens: Tokens;
    try {
      tokens = await withFetch(this.#target, (fetchFn) => renew(grant, refreshToken, this.#oauth, fetchFn));
    } catch (error) {
      const failure = oauthFailure(error, (text) => vault.redact(text));
      if (failure.isGrantGone) return refreshToken;
      if (failure.isFinal) return await this.#endGrant(refreshToken, failure.reason, failure.isClientGone);
      throw new Error(`signing in could not be renewed: ${failure.reason}`);
    }
    conceal(tokens, this.#target, vault);
    if (await this.#keep(grant, tokens)) this.adopt(tokens);
    return undefined;
  }

  /** Stores what a renewal changed. False where somebody has signed in anew meanwhile: then that counts. */
  async #keep(grant: Grant, { refreshToken = grant.refreshToken, scope }: Tokens): Promise<boolean> {
    const replaced = this.#unstored?.replaced ?? grant.refreshToken!;
    const renewed = { ...grant, ...(refreshToken && { refreshToken }), ...(scope && { scope }) };
    let isCurrent = true;
    try {
      await this.#change((record) => {
        isCurrent = record.grant?.refreshToken === replaced;
        const isSame = refreshToken === replaced && scope === record.grant?.scope;
        return isCurrent && !isSame ? { ...record, grant: renewed } : record;
      });
      this.#unstored = undefined;
    } catch (error) {
      // The old one is void by now, so the new one must not be lost with a full disk.
      if (refreshToken !== undefined) this.#unstored = { replaced, refreshToken };
      this.#warn("its renewed sign-in could not be stored; after a restart it has to be done again", error);
    }
    return isCurrent;
  }

  /** Always rejects. */
  async #endGrant(refreshToken: string, reason: string, isClientGone = false): Promise<never> {
    await this.#change((record) => withoutGrant(record, refreshToken, isClientGone));
    this.#mayRenew = false;
    throw await this.#needsSignIn(`signing in cannot be renewed: ${reason}`);
  }

  async #requestCredentials(oauth: OAuthConfig): Promise<void> {
    const { clientCredentials, discover, scopeToAsk } = await import("../../machine/oauth-client/oauth.ts");
    const { oauthFailure } = await import("../../machine/oauth-client/oauth-failure.ts");
    const { vault, withFetch, records } = this.#deps;
    const owner = ownerOf(this.#target);
    const { challenge } = await records.read(owner);
    try {
      const tokens = await withFetch(this.#target, async (fetchFn) => {
        const discovery =
          this.#credentials?.discovery ?? (await discover(this.#target.config.url!, challenge, fetchFn));
        const scope = scopeToAsk(discovery, {
          configured: oauth.scope,
          challenged: challenge?.scope,
          before: this.#credentials?.scope,
        });
        const why = await whySecretStays(records, owner, oauth, discovery.issuer);
        if (why !== undefined) throw await this.#needsSignIn(why);
        this.#credentials = { discovery, scope };
        return await clientCredentials(discovery, clientOf(oauth), scope, oauth, fetchFn);
      });
      this.adopt(tokens);
      await this.#deps.notices.dismiss(this.#target);
    } catch (error) {
      if (error instanceof NeedsAuthError) throw error;
      const failure = oauthFailure(error, (text) => vault.redact(text));
      this.#credentials = undefined;
      if (!failure.isFinal) throw new Error(`no token could be had: ${failure.reason}`);
      throw await this.#needsSignIn(`${failure.reason}; check its oauth settings`);
    }
  }

  /** Keeps what the server asks for, for whoever signs in next. */
  #note(challenge: Challenge): Promise<AuthRecord> {
    return this.#change((record) => {
      const merged = { ...record.challenge, ...challenge };
      const isKnown =
        merged.scope === record.challenge?.scope &&
        merged.resourceMetadataUrl === record.challenge?.resourceMetadataUrl;
      return isKnown ? record : { ...record, challenge: merged };
    });
  }

  async #change(change: (record: AuthRecord) => AuthRecord): Promise<AuthRecord> {
    const owner = ownerOf(this.#target);
    if (this.#isRetired) return { url: owner.url };
    return (await this.#deps.records.change(owner, change)) ?? { url: owner.url };
  }

  #warn(what: string, error: unknown): void {
    const { log, vault } = this.#deps;
    const { name } = this.#target;
    const cause = error instanceof NeedsAuthError ? error.detail : messageOf(error);
    log.warn({ server: name }, `mcp server ${name}: ${what}: ${vault.redact(cause)}`);
  }

  async #needsSignIn(reason: string): Promise<NeedsAuthError> {
    const { name } = this.#target;
    const remedy = this.#target.id === null ? "" : `; sign in with: toolkeep server auth ${name}`;
    await this.#deps.notices.raise(this.#target, reason);
    return new NeedsAuthError("sign_in", `authentication failed: ${reason}${remedy}`);
  }

  async #needsScope({ scope }: Challenge): Promise<NeedsAuthError> {
    const reason = `it wants more rights for this (${scope?.slice(0, MAX_SHOWN_SCOPE)})`;
    await this.#deps.notices.raise(this.#target, reason);
    const remedy = `grant them with: toolkeep server auth ${this.#target.name}`;
    return new NeedsAuthError("scope", `authentication failed: ${reason}; ${remedy}`);
  }

  async #stillRefused({ scope }: Challenge): Promise<NeedsAuthError> {
    const named = scope?.slice(0, MAX_SHOWN_SCOPE);
    const what = named === undefined ? "the rights it was given" : `${named}, which was asked for already`;
    return new NeedsAuthError(
      "scope",
      `authentication failed: it refuses this for want of ${what}; another account, or whoever runs it, can help`,
    );
  }
}

/** A token that took another's place is worth nothing soon after. */
function conceal(
  { accessToken, refreshToken }: Tokens,
  { id, name }: SignInTarget,
  vault: Pick<Vault, "conceal">,
): void {
  const series = `tokens:${id ?? name}`;
  vault.conceal(accessToken, series);
  if (refreshToken !== undefined) vault.conceal(refreshToken, series);
}

/** Where a server is and how Toolkeep signs in there. */
function reachOf({ config: { url, oauth } }: SignInTarget): string {
  return stableJson({ url, oauth });
}

/** Only if it is still the one that was refused: another process may have signed in meanwhile. */
function withoutGrant(record: AuthRecord, refreshToken: string, isClientGone: boolean): AuthRecord {
  const { grant, ...rest } = record;
  if (grant?.refreshToken !== refreshToken) return record;
  const { refreshToken: _, ...ended } = grant;
  if (!isClientGone) return { ...rest, grant: ended };
  const { [grant.discovery.issuer]: _unknown, ...clients } = record.clients ?? {};
  return { ...rest, clients };
}
