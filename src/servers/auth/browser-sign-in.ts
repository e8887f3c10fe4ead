import { randomBytes } from "node:crypto";
import type { FetchLike, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { AuthRecord, Discovery, PendingSignIn } from "../../machine/oauth-client/auth-record.ts";
import { clientOf, whySecretStays } from "../../machine/oauth-client/configured-client.ts";
import type { Tokens } from "../../machine/oauth-client/oauth.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import type { AuthRecords } from "./auth-records.ts";
import type { SignInStart } from "./contract.ts";
import { type SignInTarget, toRecordOwner } from "./sign-in.ts";

export interface BrowserSignInDeps {
  readonly records: AuthRecords;
  readonly store: Pick<ServerTables, "servers">;
  readonly vault: Pick<Vault, "conceal">;
  readonly clock: Clock;
}

/** A sign-in whose browser has come back from the authorization server. */
export interface ReturnedSignIn {
  readonly target: SignInTarget;
  readonly pending: PendingSignIn;
}

/** The person, or the authorization server on their behalf, refused. */
export class SignInDeniedError extends Error {}

const PENDING_MS = 10 * 60_000;
const MAX_STATE_CHARS = 200;

/**
 * Signs a person in with a browser: sends them to the authorization server and takes the code they come back with. The
 * intermediate state is stored, so that a restart or another daemon in between does not matter.
 */
export class BrowserSignIn {
  readonly #deps: BrowserSignInDeps;

  constructor(deps: BrowserSignInDeps) {
    this.#deps = deps;
  }

  /** Determines the URL to send the person to. Replaces a sign-in to the same server that is under way. */
  async begin(target: SignInTarget, redirectUri: string, fetchFn: FetchLike): Promise<SignInStart> {
    const { authorizationUrl, discover, scopeToAsk, withOffline } = await import(
      "../../machine/oauth-client/oauth.ts"
    );
    const record = await this.#deps.records.read(toRecordOwner(target));
    const discovery = await discover(target.config.url!, record.challenge, fetchFn);
    if (isGuess(discovery) && !target.config.oauth?.clientId && !(await isProtected(target.config, fetchFn)))
      throw new ToolkeepError("BAD_REQUEST", `${target.name} does not ask for a sign-in`);
    const before = record.asked?.issuer === discovery.issuer ? record.asked.scope : undefined;
    const scopes = { configured: target.config.oauth?.scope, challenged: record.challenge?.scope, before };
    const scope = withOffline(discovery, scopeToAsk(discovery, scopes));
    const request = { redirectUri, ...(scope === undefined ? {} : { scope }) };
    const client = await this.#chooseClient(target, record, discovery, request, fetchFn);

    const flow = { discovery, client, ...request, state: randomBytes(32).toString("base64url") };
    const { url, verifier } = await authorizationUrl(flow);
    const expiresAt = this.#deps.clock() + PENDING_MS;
    await this.#change(target, (now) => ({ ...now, pending: { ...flow, verifier, expiresAt } }));
    return { url, expiresAt };
  }

  /** Claims the sign-in under way with this state, so that no other answer can end it. Throws if there is none. */
  async take(state: string, find: (serverId: string) => SignInTarget | undefined): Promise<ReturnedSignIn> {
    const unknown = new ToolkeepError(
      "BAD_REQUEST",
      "this address does not belong to a sign-in under way: it was used already, is older than ten minutes, or is incomplete",
    );
    if (state === "" || state.length > MAX_STATE_CHARS) throw unknown;
    for (const row of await this.#deps.store.servers.list()) {
      const record = this.#deps.records.unseal(row);
      if (!record?.pending || !isSameSecret(record.pending.state, state)) continue;
      const target = find(row.id);
      const pending = target?.config.url === record.url && (await this.#takeFrom(target, state));
      if (!target || !pending) throw unknown;
      return { target, pending };
    }
    throw unknown;
  }

  /** Exchanges the code that the browser brought for tokens and stores what outlives them. */
  async redeem(
    { target, pending }: ReturnedSignIn,
    answer: URLSearchParams,
    fetchFn: FetchLike,
  ): Promise<Tokens> {
    const { checkIssuer, redeemCode } = await import("../../machine/oauth-client/oauth.ts");
    const { oneLineOf } = await import("../../machine/oauth-client/oauth-failure.ts");
    const iss = answer.get("iss") ?? undefined;
    // First, because the answer may come from another issuer.
    checkIssuer(pending.discovery, iss);
    const code = answer.get("code");
    if (!code) {
      const errorText = [answer.get("error"), answer.get("error_description")].filter(Boolean).join(": ");
      if (answer.get("error") === "access_denied")
        throw new SignInDeniedError(`it was denied (${oneLineOf(errorText)})`);
      throw new Error(
        `the authorization server sent no code${errorText === "" ? "" : ` but ${oneLineOf(errorText)}`}`,
      );
    }
    this.#deps.vault.conceal(code, `code:${target.id}`);
    const tokens = await redeemCode(pending, { code, iss }, target.config.oauth, fetchFn);
    await this.#change(target, (now) => ({
      ...dropPending(pending, now),
      asked: describeRequest(pending),
      grant: {
        at: this.#deps.clock(),
        discovery: pending.discovery,
        client: pending.client,
        ...(tokens.refreshToken === undefined ? {} : { refreshToken: tokens.refreshToken }),
        ...(tokens.scope === undefined ? {} : { scope: tokens.scope }),
      },
    }));
    return tokens;
  }

  /** Ends a failed sign-in. */
  async abandon({ target, pending }: ReturnedSignIn): Promise<void> {
    await this.#change(target, (record) => dropPending(pending, record));
  }

  async #takeFrom(target: SignInTarget, state: string): Promise<PendingSignIn | undefined> {
    let taken: PendingSignIn | undefined;
    await this.#change(target, (now) => {
      const { pending } = now;
      const isOpen = pending && !pending.isTaken && pending.expiresAt > this.#deps.clock();
      if (!isOpen || !isSameSecret(pending.state, state)) return now;
      taken = pending;
      return { ...now, pending: { ...pending, isTaken: true } };
    });
    return taken;
  }

  /** Chooses the OAuth client: the configured one, one described by a document, or one that registers itself. */
  async #chooseClient(
    target: SignInTarget,
    record: AuthRecord,
    discovery: Discovery,
    { redirectUri, scope }: { readonly redirectUri: string; readonly scope?: string },
    fetchFn: FetchLike,
  ): Promise<OAuthClientInformationMixed> {
    const { oauth } = target.config;
    const { issuer, metadata } = discovery;
    if (oauth?.clientId) {
      const why = await whySecretStays(this.#deps.records, toRecordOwner(target), oauth, issuer);
      if (why !== undefined) throw new Error(why);
      return clientOf(oauth);
    }
    if (oauth?.clientMetadataUrl && metadata?.client_id_metadata_document_supported === true) {
      return { client_id: oauth.clientMetadataUrl };
    }
    const known = record.clients?.[issuer];
    if (known?.redirectUri === redirectUri && !this.#hasSecretExpired(known.information))
      return known.information;
    if (metadata && metadata.registration_endpoint === undefined)
      throw new Error(describeMissingClient(issuer));

    const { register } = await import("../../machine/oauth-client/oauth.ts");
    const information = await register(discovery, redirectUri, scope, fetchFn);
    await this.#change(target, (now) => ({
      ...now,
      clients: { ...now.clients, [issuer]: { information, redirectUri } },
    }));
    return information;
  }

  #hasSecretExpired({ client_secret_expires_at: seconds }: OAuthClientInformationMixed): boolean {
    return seconds !== undefined && seconds !== 0 && seconds * 1000 <= this.#deps.clock();
  }

  #change(target: SignInTarget, change: (record: AuthRecord) => AuthRecord): Promise<unknown> {
    return this.#deps.records.change(toRecordOwner(target), change);
  }
}

/** Nothing says where to sign in, so the server's own host is assumed, as before discovery documents existed. */
function isGuess({ metadata, resource }: Discovery): boolean {
  return metadata === undefined && resource === undefined;
}

/** Whether the server refuses requests without a token. */
async function isProtected(
  { transport, url, headers }: SignInTarget["config"],
  fetchFn: FetchLike,
): Promise<boolean> {
  const accept = "application/json, text/event-stream";
  const probe =
    transport === "sse"
      ? { headers: { ...headers, accept } }
      : {
          method: "POST",
          headers: { ...headers, accept, "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
        };
  const response = await fetchFn(url!, probe);
  await response.body?.cancel();
  return response.status === 401;
}

function describeRequest({ discovery: { issuer }, scope }: PendingSignIn): AuthRecord["asked"] & object {
  return { issuer, ...(scope === undefined ? {} : { scope }) };
}

function describeMissingClient(issuer: string): string {
  return `the authorization server ${issuer} wants a client that was registered with it beforehand: register one there, then give its id (oauth.client_id, and oauth.client_secret where there is one)`;
}

function dropPending(pending: PendingSignIn, record: AuthRecord): AuthRecord {
  const { pending: now, ...rest } = record;
  return now?.state === pending.state ? rest : record;
}
