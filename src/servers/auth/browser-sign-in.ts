import { randomBytes } from "node:crypto";
import type { FetchLike, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Store } from "../../machine/db/store.ts";
import type { AuthRecord, Discovery, PendingSignIn } from "../../machine/oauth-client/auth-record.ts";
import { clientOf, whySecretStays } from "../../machine/oauth-client/configured-client.ts";
import type { Tokens } from "../../machine/oauth-client/oauth.ts";
import type { AuthRecords } from "./auth-records.ts";
import { ownerOf, type SignInStart, type SignInTarget } from "./sign-in.ts";

export interface BrowserSignInDeps {
  readonly records: AuthRecords;
  readonly store: Pick<Store, "servers">;
  readonly vault: Pick<Vault, "conceal">;
  readonly clock: Clock;
}

/** A person who came back from the authorization server. */
export interface Returned {
  readonly target: SignInTarget;
  readonly pending: PendingSignIn;
}

/** The person, or the authorization server on their behalf, said no. */
export class SignInDenied extends Error {}

const PENDING_MS = 10 * 60_000;
const MAX_STATE_CHARS = 200;

/**
 * A person signs in with a browser: sent to the authorization server, and back with a code. What is half done is in
 * the store, so that neither a restart nor another daemon in between matters.
 */
export class BrowserSignIn {
  readonly #deps: BrowserSignInDeps;

  constructor(deps: BrowserSignInDeps) {
    this.#deps = deps;
  }

  /** Finds out where to send the person. Replaces a sign-in to the same server that is under way. */
  async begin(target: SignInTarget, redirectUri: string, fetchFn: FetchLike): Promise<SignInStart> {
    const { authorizationUrl, discover, scopeToAsk, withOffline } = await import(
      "../../machine/oauth-client/oauth.ts"
    );
    const record = await this.#deps.records.read(ownerOf(target));
    const discovery = await discover(target.config.url!, record.challenge, fetchFn);
    if (isGuess(discovery) && !target.config.oauth?.clientId && !(await isProtected(target.config, fetchFn)))
      throw new ToolkeepError("BAD_REQUEST", `${target.name} does not ask for a sign-in`);
    const before = record.asked?.issuer === discovery.issuer ? record.asked.scope : undefined;
    const wanted = { configured: target.config.oauth?.scope, challenged: record.challenge?.scope, before };
    const scope = withOffline(discovery, scopeToAsk(discovery, wanted));
    const asked = { redirectUri, ...(scope === undefined ? {} : { scope }) };
    const client = await this.#client(target, record, discovery, asked, fetchFn);

    const flow = { discovery, client, ...asked, state: randomBytes(32).toString("base64url") };
    const { url, verifier } = await authorizationUrl(flow);
    const expiresAt = this.#deps.clock() + PENDING_MS;
    await this.#change(target, (now) => ({ ...now, pending: { ...flow, verifier, expiresAt } }));
    return { url, expiresAt };
  }

  /** The sign-in under way with this state, which no other answer can end then. Throws where there is none. */
  async take(state: string, find: (serverId: string) => SignInTarget | undefined): Promise<Returned> {
    const unknown = new ToolkeepError(
      "BAD_REQUEST",
      "this address does not belong to a sign-in under way: it was used already, is older than ten minutes, or is incomplete",
    );
    if (state === "" || state.length > MAX_STATE_CHARS) throw unknown;
    for (const row of await this.#deps.store.servers.list()) {
      const record = this.#deps.records.open(row);
      if (!record?.pending || !isSameSecret(record.pending.state, state)) continue;
      const target = find(row.id);
      const pending = target?.config.url === record.url && (await this.#takeFrom(target, state));
      if (!target || !pending) throw unknown;
      return { target, pending };
    }
    throw unknown;
  }

  /** Turns what the browser brought into tokens and keeps what outlives them. */
  async redeem({ target, pending }: Returned, answer: URLSearchParams, fetchFn: FetchLike): Promise<Tokens> {
    const { checkIssuer, redeemCode } = await import("../../machine/oauth-client/oauth.ts");
    const { oneLineOf } = await import("../../machine/oauth-client/oauth-failure.ts");
    const iss = answer.get("iss") ?? undefined;
    // Before anything else of the answer is looked at: it may be another's.
    checkIssuer(pending.discovery, iss);
    const code = answer.get("code");
    if (!code) {
      const said = [answer.get("error"), answer.get("error_description")].filter(Boolean).join(": ");
      if (answer.get("error") === "access_denied")
        throw new SignInDenied(`it was denied (${oneLineOf(said)})`);
      throw new Error(`the authorization server sent no code${said === "" ? "" : ` but ${oneLineOf(said)}`}`);
    }
    this.#deps.vault.conceal(code, `code:${target.id}`);
    const tokens = await redeemCode(pending, { code, iss }, target.config.oauth, fetchFn);
    await this.#change(target, (now) => ({
      ...without(pending, now),
      asked: askedFor(pending),
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

  /** It came to nothing, and is no longer under way. */
  async abandon({ target, pending }: Returned): Promise<void> {
    await this.#change(target, (record) => without(pending, record));
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

  /** As which client to ask: the configured one, the one a document describes, one that registers itself. */
  async #client(
    target: SignInTarget,
    record: AuthRecord,
    discovery: Discovery,
    { redirectUri, scope }: { readonly redirectUri: string; readonly scope?: string },
    fetchFn: FetchLike,
  ): Promise<OAuthClientInformationMixed> {
    const { oauth } = target.config;
    const { issuer, metadata } = discovery;
    if (oauth?.clientId) {
      const why = await whySecretStays(this.#deps.records, ownerOf(target), oauth, issuer);
      if (why !== undefined) throw new Error(why);
      return clientOf(oauth);
    }
    if (oauth?.clientMetadataUrl && metadata?.client_id_metadata_document_supported === true) {
      return { client_id: oauth.clientMetadataUrl };
    }
    const known = record.clients?.[issuer];
    if (known?.redirectUri === redirectUri && !this.#isSecretOver(known.information))
      return known.information;
    if (metadata && metadata.registration_endpoint === undefined) throw new Error(needsClient(issuer));

    const { register } = await import("../../machine/oauth-client/oauth.ts");
    const information = await register(discovery, redirectUri, scope, fetchFn);
    await this.#change(target, (now) => ({
      ...now,
      clients: { ...now.clients, [issuer]: { information, redirectUri } },
    }));
    return information;
  }

  #isSecretOver({ client_secret_expires_at: seconds }: OAuthClientInformationMixed): boolean {
    return seconds !== undefined && seconds !== 0 && seconds * 1000 <= this.#deps.clock();
  }

  #change(target: SignInTarget, change: (record: AuthRecord) => AuthRecord): Promise<unknown> {
    return this.#deps.records.change(ownerOf(target), change);
  }
}

/** Nothing says where to sign in: the server's own host is taken for it, as it was before there were documents. */
function isGuess({ metadata, resource }: Discovery): boolean {
  return metadata === undefined && resource === undefined;
}

/** Whether it refuses those who have not signed in. */
async function isProtected(
  { transport, url, headers }: SignInTarget["config"],
  fetchFn: FetchLike,
): Promise<boolean> {
  const accept = "application/json, text/event-stream";
  const question =
    transport === "sse"
      ? { headers: { ...headers, accept } }
      : {
          method: "POST",
          headers: { ...headers, accept, "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
        };
  const response = await fetchFn(url!, question);
  await response.body?.cancel();
  return response.status === 401;
}

function askedFor({ discovery: { issuer }, scope }: PendingSignIn): AuthRecord["asked"] & object {
  return { issuer, ...(scope === undefined ? {} : { scope }) };
}

function needsClient(issuer: string): string {
  return `the authorization server ${issuer} wants a client that was registered with it beforehand: register one there, then give its id (oauth.client_id, and oauth.client_secret where there is one)`;
}

function without(pending: PendingSignIn, record: AuthRecord): AuthRecord {
  const { pending: now, ...rest } = record;
  return now?.state === pending.state ? rest : record;
}
