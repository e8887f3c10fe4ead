import { createHash } from "node:crypto";
import type { TokenScope } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Store } from "../../machine/db/store.ts";
import { ConsentTable } from "./consent-table.ts";
import type { ConsentKeyRecord, ConsentRecord, TokenRecord } from "./contract.ts";
import type { Identity } from "./identity.ts";
import { hashToken, newCode, newSecret, tokensFor } from "./token.ts";

const CODE_MS = 60_000;
/**
 * Two requests of one client may find at the same time that their token has expired, and an answer may be lost. For
 * this long, and only until the answer is used, the same answer is given again.
 */
const SAME_ANSWER_MS = 30_000;

export interface ConsentsDeps {
  readonly store: Pick<Store, "database">;
  readonly identity: Identity;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long issued tokens live. Asked every time. */
  readonly lifetimes: () => { readonly accessMs: number; readonly refreshMs: number };
}

/** The terms that a person agreed to. */
export interface ConsentInput {
  readonly client: { readonly id: string; readonly name: string };
  /** The agent's name. */
  readonly agent: string;
  readonly scopes: readonly TokenScope[];
  /** The only path that its tokens open, including what is below. */
  readonly resource: string;
  /** Where the code is sent. */
  readonly redirectUri: string;
  /** The S256 challenge of the client that will present the code. */
  readonly challenge: string;
}

export interface CodeProof {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** Absent: that of the consent. */
  readonly resource?: string;
}

export interface RenewalProof {
  readonly clientId: string;
  /** Absent: that of the consent. */
  readonly resource?: string;
  /** Absent: those of the consent; never more than those. */
  readonly scopes?: readonly string[];
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly expiresInMs: number;
  readonly refreshToken: string;
  readonly scopes: readonly TokenScope[];
}

/** An OAuth error, with a sentence for the developer of the client. */
export interface ConsentRefusal {
  readonly error: "invalid_grant" | "invalid_target" | "invalid_scope";
  readonly message: string;
}

type KnownKey = { readonly key: ConsentKeyRecord; readonly consent: ConsentRecord };

/**
 * The consents of people to clients, and the tokens issued for them. A code or refresh token counts once. Presenting it a
 * second time ends the consent, because one of the two who had it is not the client. Only a renewal that is repeated at
 * once, before either of the new tokens was used, gets the same answer again. Everything is in the store, by its hash,
 * so that any process can take the next step.
 */
export class Consents {
  readonly #deps: ConsentsDeps;
  readonly #table: ConsentTable;

  constructor(deps: ConsentsDeps) {
    this.#deps = deps;
    this.#table = new ConsentTable(deps.store.database);
  }

  /** Resolves with the code for the client. Throws NOT_FOUND for an agent that does not exist. */
  async create(input: ConsentInput): Promise<string> {
    const { identity, clock, newId } = this.#deps;
    const now = clock();
    const code = newCode();
    const consent: ConsentRecord = {
      id: newId("con"),
      agentId: identity.agent(input.agent).id,
      clientId: input.client.id,
      clientName: input.client.name,
      scopes: input.scopes,
      resource: input.resource,
      createdAt: now,
      expiresAt: now + CODE_MS,
    };
    await this.#table.create(consent, {
      ...keyOf(code, "code", consent.id, now, CODE_MS),
      challenge: input.challenge,
      redirectUri: input.redirectUri,
    });
    return code;
  }

  /** The first tokens, for a code. */
  async redeem(code: string, proof: CodeProof): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#findKey(code, "code", proof.clientId);
    if (!known) return err(grantRefusal("the code is unknown, or was issued to another client"));
    const { key, consent } = known;
    if (key.redirectUri !== proof.redirectUri)
      return err(grantRefusal("redirect_uri differs from the one that the code was sent to"));
    if (key.challenge !== challengeOf(proof.verifier))
      return err(grantRefusal("code_verifier does not match the code_challenge"));
    if (proof.resource !== undefined && proof.resource !== consent.resource) return err(OTHER_RESOURCE);
    // The code has been through a browser, so the tokens must not be derivable from it alone.
    return this.#issue(`${code} ${proof.verifier}`, known, consent.scopes);
  }

  /** The next tokens, for the refresh token that came with the last ones. */
  async renew(refreshToken: string, proof: RenewalProof): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#findKey(refreshToken, "refresh", proof.clientId);
    if (!known) return err(grantRefusal("the refresh token is unknown, or was issued to another client"));
    const { consent } = known;
    if (proof.resource !== undefined && proof.resource !== consent.resource) return err(OTHER_RESOURCE);
    const scopes = proof.scopes ?? consent.scopes;
    const excess = scopes.filter((scope) => !(consent.scopes as readonly string[]).includes(scope));
    if (excess.length > 0) {
      const message = `the person did not agree to ${excess.join(" ").slice(0, 200)}, only to ${consent.scopes.join(" ")}`;
      return err({ error: "invalid_scope", message });
    }
    return this.#issue(refreshToken, known, scopes as readonly TokenScope[]);
  }

  /**
   * Ends the consent that a token, of either kind, came from. Unknown tokens and those of other clients are ignored.
   */
  async revoke(token: string, clientId: string): Promise<void> {
    const { identity } = this.#deps;
    const consentId = identity.consentIdOf(token) ?? (await this.#table.key(hashToken(token)))?.consent.id;
    const consent = consentId === undefined ? undefined : await this.#table.get(consentId);
    if (consent?.clientId === clientId) await this.#end(consent.id);
  }

  async #findKey(
    secret: string,
    kind: ConsentKeyRecord["kind"],
    clientId: string,
  ): Promise<KnownKey | undefined> {
    const known = await this.#table.key(hashToken(secret));
    return known?.key.kind === kind && known.consent.clientId === clientId ? known : undefined;
  }

  async #issue(
    secret: string,
    known: KnownKey,
    scopes: readonly TokenScope[],
  ): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const { identity, events, clock, lifetimes } = this.#deps;
    const { key, consent } = known;
    const now = clock();
    if (key.usedAt !== null) return this.#onReuse(secret, known);
    if (key.expiresAt <= now) return err(grantRefusal("the code or refresh token has expired"));

    const { accessMs, refreshMs } = lifetimes();
    const { access, refresh } = tokensFor(secret, key.salt);
    const token: TokenRecord = {
      id: tokenIdOf(consent.id),
      kind: "agent",
      agentId: consent.agentId,
      label: consent.clientName,
      hash: hashToken(access),
      hint: access.slice(-4),
      scopes,
      createdAt: now,
      expiresAt: now + accessMs,
      lastUsedAt: null,
      consentId: consent.id,
      resource: consent.resource,
      requestsPerMinute: null,
      role: null,
      interactive: false,
    };
    const isIssued = await ignoreNotFound(
      this.#table.use(key.hash, now, {
        token,
        refresh: keyOf(refresh, "refresh", consent.id, now, refreshMs),
        expiresAt: now + Math.max(accessMs, refreshMs),
      }),
    );
    if (isIssued === undefined) return err(CONSENT_ENDED);
    if (!isIssued) return this.#onUsedMeanwhile(secret, key.hash);
    await identity.reload();
    if (key.kind === "code") events.emit("token.changed", { token: token.id, change: "created" });
    return ok({ accessToken: access, expiresInMs: accessMs, refreshToken: refresh, scopes });
  }

  async #onUsedMeanwhile(secret: string, hash: string): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#table.key(hash);
    return known ? this.#onReuse(secret, known) : err(CONSENT_ENDED);
  }

  async #onReuse(secret: string, { key, consent }: KnownKey): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const { identity, clock } = this.#deps;
    const now = clock();
    const { access, refresh } = tokensFor(secret, key.salt);
    const isFresh = key.kind === "refresh" && now - (key.usedAt ?? 0) < SAME_ANSWER_MS;
    const next = isFresh ? await this.#table.key(hashToken(refresh)) : undefined;
    if (isFresh) await identity.reload();
    // The client that used the answer has received it, so this request comes from somebody else.
    if (next?.key.usedAt !== null || identity.wasUsed(access, next.key.createdAt)) {
      await this.#end(consent.id);
      return err(grantRefusal("it was already used; all tokens that were issued for it have ended"));
    }
    const issued = identity.tokens().find(({ id }) => id === tokenIdOf(consent.id));
    if (!issued) return err(CONSENT_ENDED);
    return ok({
      accessToken: access,
      expiresInMs: Math.max(0, (issued.expiresAt ?? now) - now),
      refreshToken: refresh,
      scopes: issued.scopes ?? consent.scopes,
    });
  }

  async #end(consentId: string): Promise<void> {
    const { identity, events } = this.#deps;
    await ignoreNotFound(this.#table.delete(consentId));
    await identity.reload();
    events.emit("token.changed", { token: tokenIdOf(consentId), change: "revoked" });
  }
}

const OTHER_RESOURCE: ConsentRefusal = {
  error: "invalid_target",
  message: "resource differs from the one that the person agreed to",
};

const CONSENT_ENDED: ConsentRefusal = { error: "invalid_grant", message: "the consent has ended" };

function grantRefusal(message: string): ConsentRefusal {
  return { error: "invalid_grant", message };
}

function keyOf(
  secret: string,
  kind: ConsentKeyRecord["kind"],
  consentId: string,
  now: number,
  lifeMs: number,
): ConsentKeyRecord {
  return {
    hash: hashToken(secret),
    consentId,
    kind,
    salt: newSecret(),
    challenge: null,
    redirectUri: null,
    createdAt: now,
    expiresAt: now + lifeMs,
    usedAt: null,
  };
}

/** The same after every renewal: sessions, limits and the audit identify a client by it. */
function tokenIdOf(consentId: string): string {
  return consentId.replace(/^con_/, "tok_");
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** Undefined when the consent was ended, or its agent deleted, in the meantime. */
async function ignoreNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolkeepError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}
