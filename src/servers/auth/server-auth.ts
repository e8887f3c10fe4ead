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
import { type SignInTarget, toRecordOwner } from "./sign-in.ts";
import type { SignInNotices } from "./sign-in-notices.ts";

export interface ServerAuthDeps {
  readonly records: AuthRecords;
  readonly notices: SignInNotices;
  readonly vault: Pick<Vault, "conceal" | "redact">;
  readonly clock: Clock;
  readonly log: Log;
  /** Runs `work` with a guarded fetch, which is closed afterwards. */
  readonly withFetch: <T>(target: SignInTarget, work: (fetchFn: FetchLike) => Promise<T>) => Promise<T>;
}

interface AccessToken {
  readonly token: string;
  /** When to renew it, and when it expires; infinite if it is used until it is refused. */
  readonly dueAt: number;
  readonly endsAt: number;
}

/** How long before its expiry a token is renewed; one with a short life after nine tenths of it. */
const RENEW_BEFORE_MS = 60_000;
const RETRY_RENEWAL_MS = 10_000;
const MAX_SHOWN_SCOPE = 200;

/**
 * The access token of one server, in memory only, shared by all its connections. One renewal serves all who wait for it:
 * shortly before the token expires, and when the server refuses it.
 */
export class ServerAuth {
  readonly #deps: ServerAuthDeps;
  readonly #serial = createSerial();
  #target: SignInTarget;
  #access: AccessToken | undefined;
  #renewing: Promise<void> | undefined;
  /** False once nothing is left to obtain a token with. */
  #mayRenew = true;
  /** Set once the server demanded a token. Client credentials are not used before that. */
  #isRequired = false;
  /** A renewal that could not be stored; the refresh token in the store is void. */
  #unstored: { readonly replaced: string; readonly refreshToken: string } | undefined;
  #isRetired = false;
  #credentials: { readonly discovery: Discovery; readonly scope: string | undefined } | undefined;

  constructor(target: SignInTarget, deps: ServerAuthDeps) {
    this.#target = target;
    this.#deps = deps;
  }

  /**
   * Takes over the current configuration and allows another look at what other processes stored. Returns false if it is a
   * different server now: a token of one must never reach another.
   */
  retarget(target: SignInTarget): boolean {
    if (toReachKey(target) !== toReachKey(this.#target)) return false;
    this.#target = target;
    this.#mayRenew = true;
    return true;
  }

  /** Requests under way may still end, but nothing they obtain is kept. */
  retire(): void {
    this.#isRetired = true;
    this.forget();
  }

  /** The token in memory, even if it has expired. */
  get currentToken(): string | undefined {
    return this.#access?.token;
  }

  /**
   * The token for the next request; undefined if nobody has signed in. Rejects if it has expired and cannot be renewed,
   * with a NeedsAuthError if a person has to act.
   */
  async getToken(): Promise<string | undefined> {
    const access = this.#access;
    const now = this.#deps.clock();
    if (access && now < access.dueAt) return access.token;
    if (access && now < access.endsAt) {
      // Renew in the background while the token is still good; if that fails, try again a little later.
      this.#access = { ...access, dueAt: now + RETRY_RENEWAL_MS };
      void this.#renewOnce().catch((error: unknown) => this.#warn("its sign-in could not be renewed", error));
      return access.token;
    }
    this.#access = undefined;
    await this.#renewOnce();
    return this.currentToken;
  }

  /** Call after a 401. Resolves if there is another token to try; otherwise rejects with what to do. */
  async handleRefusal(token: string | undefined, challenge: Challenge): Promise<void> {
    if (this.#access && this.#access.token !== token) return;
    this.#access = undefined;
    this.#isRequired = true;
    const { grant } = await this.#storeChallenge(challenge);
    // A concurrent request may have been refused with the same token and renewed it by now.
    if (this.currentToken === undefined) await this.#renewOnce();
    if (this.currentToken !== undefined) return;
    throw await this.#requireSignIn(
      grant ? "the last sign-in has run out" : "nobody has signed in to it yet",
    );
  }

  /** Call after a 401 to a newly issued token. */
  async handleSecondRefusal(): Promise<NeedsAuthError> {
    this.#access = undefined;
    this.#credentials = undefined;
    return await this.#requireSignIn("it refuses a token that was issued for it just now");
  }

  /** Call after a 403 that names scopes. Resolves if there is a token with more scopes to try; otherwise rejects. */
  handleMissingScope(token: string | undefined, challenge: Challenge): Promise<void> {
    // Serially, because what the first request obtains is enough for all.
    return this.#serial("scopes", () => this.#widen(token, challenge));
  }

  /** Starts to use the tokens of a sign-in. */
  adopt(tokens: Tokens): void {
    const { clock, vault } = this.#deps;
    concealTokens(tokens, this.#target, vault);
    const { lifeMs = Number.POSITIVE_INFINITY } = tokens;
    const endsAt = clock() + lifeMs;
    const dueAt = Number.isFinite(lifeMs) ? endsAt - Math.min(RENEW_BEFORE_MS, lifeMs / 10) : endsAt;
    this.#access = { token: tokens.accessToken, dueAt, endsAt };
    this.#mayRenew = true;
  }

  /** Requests a token by client credentials, without a person. */
  async requestNow(): Promise<void> {
    this.#access = undefined;
    this.#isRequired = true;
    this.#mayRenew = true;
    this.#credentials = undefined;
    await this.#renewOnce();
  }

  /** Resolves once no renewal is under way. */
  async waitUntilIdle(): Promise<void> {
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
    const isClientCredentials = this.#oauth?.grant === "client_credentials";
    const { asked } = await this.#deps.records.read(toRecordOwner(this.#target));
    const before = isClientCredentials ? this.#credentials?.scope : asked?.scope;
    // The scope was requested already, so another attempt would end the same.
    if (!isMore(challenge.scope, before)) throw await this.#createScopeError(challenge);
    await this.#storeChallenge(challenge);
    if (!isClientCredentials) throw await this.#requireScope(challenge);
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
      if (this.#isRequired) await this.#requestCredentials(this.#oauth);
      return;
    }
    let refusedToken: string | undefined;
    // Twice, because another process may have renewed it first; then the store has the new token.
    for (let attempt = 0; attempt < 2; attempt++) {
      const grant = await this.#readGrant();
      if (grant?.refreshToken === undefined || grant.refreshToken === refusedToken) break;
      refusedToken = await this.#refresh(grant, grant.refreshToken);
      if (refusedToken === undefined) return;
    }
    if (refusedToken === undefined) this.#mayRenew = false;
    else await this.#endGrant(refusedToken, "it has run out");
  }

  async #readGrant(): Promise<Grant | undefined> {
    const { grant } = await this.#deps.records.read(toRecordOwner(this.#target));
    const unstored = this.#unstored;
    if (grant?.refreshToken === undefined || grant.refreshToken !== unstored?.replaced) return grant;
    return { ...grant, refreshToken: unstored.refreshToken };
  }

  /** Returns the refresh token if it is no longer accepted. Rejects for every other failure. */
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
    concealTokens(tokens, this.#target, vault);
    if (await this.#storeRenewal(grant, tokens)) this.adopt(tokens);
    return undefined;
  }

  /** Stores a renewal. Returns false if somebody signed in meanwhile, which takes precedence. */
  async #storeRenewal(grant: Grant, { refreshToken = grant.refreshToken, scope }: Tokens): Promise<boolean> {
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
      // The old token is void, so the new one must survive a full disk.
      if (refreshToken !== undefined) this.#unstored = { replaced, refreshToken };
      this.#warn("its renewed sign-in could not be stored; after a restart it has to be done again", error);
    }
    return isCurrent;
  }

  /** Always rejects. */
  async #endGrant(refreshToken: string, reason: string, isClientGone = false): Promise<never> {
    await this.#change((record) => dropGrant(record, refreshToken, isClientGone));
    this.#mayRenew = false;
    throw await this.#requireSignIn(`signing in cannot be renewed: ${reason}`);
  }

  async #requestCredentials(oauth: OAuthConfig): Promise<void> {
    const { clientCredentials, discover, scopeToAsk } = await import("../../machine/oauth-client/oauth.ts");
    const { oauthFailure } = await import("../../machine/oauth-client/oauth-failure.ts");
    const { vault, withFetch, records } = this.#deps;
    const owner = toRecordOwner(this.#target);
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
        if (why !== undefined) throw await this.#requireSignIn(why);
        this.#credentials = { discovery, scope };
        return await clientCredentials(discovery, clientOf(oauth), scope, oauth, fetchFn);
      });
      this.adopt(tokens);
      await this.#deps.notices.dismiss(this.#target);
    } catch (error) {
      if (error instanceof NeedsAuthError) throw error;
      const failure = oauthFailure(error, (text) => vault.redact(text));
      this.#credentials = undefined;
      if (!failure.isFinal) throw new Error(`no token could be obtained: ${failure.reason}`);
      throw await this.#requireSignIn(`${failure.reason}; check its oauth settings`);
    }
  }

  /** Stores what the server demands, for the next sign-in. */
  #storeChallenge(challenge: Challenge): Promise<AuthRecord> {
    return this.#change((record) => {
      const merged = { ...record.challenge, ...challenge };
      const isKnown =
        merged.scope === record.challenge?.scope &&
        merged.resourceMetadataUrl === record.challenge?.resourceMetadataUrl;
      return isKnown ? record : { ...record, challenge: merged };
    });
  }

  async #change(change: (record: AuthRecord) => AuthRecord): Promise<AuthRecord> {
    const owner = toRecordOwner(this.#target);
    if (this.#isRetired) return { url: owner.url };
    return (await this.#deps.records.change(owner, change)) ?? { url: owner.url };
  }

  #warn(failure: string, error: unknown): void {
    const { log, vault } = this.#deps;
    const { name } = this.#target;
    const cause = error instanceof NeedsAuthError ? error.detail : messageOf(error);
    log.warn({ server: name }, `mcp server ${name}: ${failure}: ${vault.redact(cause)}`);
  }

  async #requireSignIn(reason: string): Promise<NeedsAuthError> {
    const { name } = this.#target;
    const remedy = this.#target.id === null ? "" : `; sign in with: toolkeep server auth ${name}`;
    await this.#deps.notices.raise(this.#target, reason);
    return new NeedsAuthError("sign_in", `authentication failed: ${reason}${remedy}`);
  }

  async #requireScope({ scope }: Challenge): Promise<NeedsAuthError> {
    const reason = `it wants more rights for this (${scope?.slice(0, MAX_SHOWN_SCOPE)})`;
    await this.#deps.notices.raise(this.#target, reason);
    const remedy = `grant them with: toolkeep server auth ${this.#target.name}`;
    return new NeedsAuthError("scope", `authentication failed: ${reason}; ${remedy}`);
  }

  async #createScopeError({ scope }: Challenge): Promise<NeedsAuthError> {
    const shownScope = scope?.slice(0, MAX_SHOWN_SCOPE);
    const missing =
      shownScope === undefined ? "the rights it was given" : `${shownScope}, which was asked for already`;
    return new NeedsAuthError(
      "scope",
      `authentication failed: it refuses this because it lacks ${missing}; try another account, or ask whoever runs the server`,
    );
  }
}

/** In a series, because a replaced token soon becomes worthless and need not be redacted for ever. */
function concealTokens(
  { accessToken, refreshToken }: Tokens,
  { id, name }: SignInTarget,
  vault: Pick<Vault, "conceal">,
): void {
  const series = `tokens:${id ?? name}`;
  vault.conceal(accessToken, series);
  if (refreshToken !== undefined) vault.conceal(refreshToken, series);
}

/** Identifies where a server is and how Toolkeep signs in there. */
function toReachKey({ config: { url, oauth } }: SignInTarget): string {
  return stableJson({ url, oauth });
}

/** Only if the grant is still the refused one: another process may have signed in meanwhile. */
function dropGrant(record: AuthRecord, refreshToken: string, isClientGone: boolean): AuthRecord {
  const { grant, ...rest } = record;
  if (grant?.refreshToken !== refreshToken) return record;
  const { refreshToken: _, ...ended } = grant;
  if (!isClientGone) return { ...rest, grant: ended };
  const { [grant.discovery.issuer]: _unknown, ...clients } = record.clients ?? {};
  return { ...rest, clients };
}
