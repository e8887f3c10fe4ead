import { createHash } from "node:crypto";
import type { TokenScope } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ConsentKeyRecord, ConsentRecord, ConsentStore, TokenRecord } from "../../machine/db/store.ts";
import type { Identity } from "./identity.ts";
import { hashToken, newCode, newSecret, tokensFor } from "./token.ts";

const CODE_MS = 60_000;
/** Two requests of one client may find at once that their token has expired, and an answer may be lost on its way: so long, and only until the answer is used. */
const SAME_ANSWER_MS = 30_000;

export interface ConsentsDeps {
  readonly store: ConsentStore;
  readonly identity: Identity;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
  /** How long what is issued lives. Asked every time. */
  readonly lifetimes: () => { readonly accessMs: number; readonly refreshMs: number };
}

/** What a person said yes to. */
export interface ConsentInput {
  readonly client: { readonly id: string; readonly name: string };
  /** By name. */
  readonly agent: string;
  readonly scopes: readonly TokenScope[];
  /** The only path that its tokens open, with what is below. */
  readonly resource: string;
  /** Where the code is sent. */
  readonly redirectUri: string;
  /** The S256 challenge of whoever will bring the code. */
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

/** As OAuth names it, with a sentence for the developer of the client. */
export interface ConsentRefusal {
  readonly error: "invalid_grant" | "invalid_target" | "invalid_scope";
  readonly message: string;
}

type Known = { readonly key: ConsentKeyRecord; readonly consent: ConsentRecord };

/**
 * What people allowed clients, and the tokens that follow from it. A code and a refresh token count once; whoever brings
 * one a second time ends the consent, because one of the two who had it is not the client. Only who renews again at once,
 * before either of the tokens that it was exchanged for was used, gets the same answer again. Everything is in the store,
 * by its hash, so any process on it can take the next step.
 */
export class Consents {
  readonly #deps: ConsentsDeps;

  constructor(deps: ConsentsDeps) {
    this.#deps = deps;
  }

  /** Resolves with the code for the client. Throws NOT_FOUND for an agent that there is not. */
  async give(input: ConsentInput): Promise<string> {
    const { store, identity, clock, newId } = this.#deps;
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
    await store.create(consent, {
      ...keyOf(code, "code", consent.id, now, CODE_MS),
      challenge: input.challenge,
      redirectUri: input.redirectUri,
    });
    return code;
  }

  /** The first tokens, for a code. */
  async redeem(code: string, proof: CodeProof): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#known(code, "code", proof.clientId);
    if (!known) return err(grantRefusal("the code is not known here, or was given to another client"));
    const { key, consent } = known;
    if (key.redirectUri !== proof.redirectUri)
      return err(grantRefusal("redirect_uri is not the one that the code was sent to"));
    if (key.challenge !== challengeOf(proof.verifier))
      return err(grantRefusal("code_verifier does not fit the code_challenge"));
    if (proof.resource !== undefined && proof.resource !== consent.resource) return err(OTHER_RESOURCE);
    // The code alone has been through a browser; what is made of it must not follow from that.
    return this.#issue(`${code} ${proof.verifier}`, known, consent.scopes);
  }

  /** The next tokens, for the refresh token that came with the last ones. */
  async renew(refreshToken: string, proof: RenewalProof): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#known(refreshToken, "refresh", proof.clientId);
    if (!known)
      return err(grantRefusal("the refresh token is not known here, or was given to another client"));
    const { consent } = known;
    if (proof.resource !== undefined && proof.resource !== consent.resource) return err(OTHER_RESOURCE);
    const scopes = proof.scopes ?? consent.scopes;
    const more = scopes.filter((scope) => !(consent.scopes as readonly string[]).includes(scope));
    if (more.length > 0) {
      const message = `nobody agreed to ${more.join(" ").slice(0, 200)}; agreed was ${consent.scopes.join(" ")}`;
      return err({ error: "invalid_scope", message });
    }
    return this.#issue(refreshToken, known, scopes as readonly TokenScope[]);
  }

  /** Ends the consent that a token, of either kind, came from. One of another client, or none, is passed over. */
  async revoke(token: string, clientId: string): Promise<void> {
    const { store, identity } = this.#deps;
    const consentId = identity.consentIdOf(token) ?? (await store.key(hashToken(token)))?.consent.id;
    const consent = consentId === undefined ? undefined : await store.get(consentId);
    if (consent?.clientId === clientId) await this.#end(consent.id);
  }

  async #known(secret: string, kind: ConsentKeyRecord["kind"], clientId: string): Promise<Known | undefined> {
    const known = await this.#deps.store.key(hashToken(secret));
    return known?.key.kind === kind && known.consent.clientId === clientId ? known : undefined;
  }

  async #issue(
    secret: string,
    known: Known,
    scopes: readonly TokenScope[],
  ): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const { store, identity, events, clock, lifetimes } = this.#deps;
    const { key, consent } = known;
    const now = clock();
    if (key.usedAt !== null) return this.#usedAgain(secret, known);
    if (key.expiresAt <= now) return err(grantRefusal("it has expired"));

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
    const isIssued = await unlessGone(
      store.use(key.hash, now, {
        token,
        refresh: keyOf(refresh, "refresh", consent.id, now, refreshMs),
        expiresAt: now + Math.max(accessMs, refreshMs),
      }),
    );
    if (isIssued === undefined) return err(GONE);
    if (!isIssued) return this.#usedMeanwhile(secret, key.hash);
    await identity.reload();
    if (key.kind === "code") events.emit("token.changed", { token: token.id, change: "created" });
    return ok({ accessToken: access, expiresInMs: accessMs, refreshToken: refresh, scopes });
  }

  async #usedMeanwhile(secret: string, hash: string): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const known = await this.#deps.store.key(hash);
    return known ? this.#usedAgain(secret, known) : err(GONE);
  }

  async #usedAgain(secret: string, { key, consent }: Known): Promise<Result<IssuedTokens, ConsentRefusal>> {
    const { store, identity, clock } = this.#deps;
    const now = clock();
    const { access, refresh } = tokensFor(secret, key.salt);
    const isFresh = key.kind === "refresh" && now - (key.usedAt ?? 0) < SAME_ANSWER_MS;
    const next = isFresh ? await store.key(hashToken(refresh)) : undefined;
    if (isFresh) await identity.reload();
    // Whoever used the answer has it: who asks for it once more is somebody else.
    if (next?.key.usedAt !== null || identity.wasUsed(access, next.key.createdAt)) {
      await this.#end(consent.id);
      return err(grantRefusal("it was used before; everything that was issued for it has ended"));
    }
    const issued = identity.tokens().find(({ id }) => id === tokenIdOf(consent.id));
    if (!issued) return err(GONE);
    return ok({
      accessToken: access,
      expiresInMs: Math.max(0, (issued.expiresAt ?? now) - now),
      refreshToken: refresh,
      scopes: issued.scopes ?? consent.scopes,
    });
  }

  async #end(consentId: string): Promise<void> {
    const { store, identity, events } = this.#deps;
    await unlessGone(store.delete(consentId));
    await identity.reload();
    events.emit("token.changed", { token: tokenIdOf(consentId), change: "revoked" });
  }
}

const OTHER_RESOURCE: ConsentRefusal = {
  error: "invalid_target",
  message: "resource is not the one that the person agreed to",
};

const GONE: ConsentRefusal = { error: "invalid_grant", message: "the consent has ended" };

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

/** The same after every renewal: sessions, limits and the audit know a client by it. */
function tokenIdOf(consentId: string): string {
  return consentId.replace(/^con_/, "tok_");
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** Undefined when somebody ended the consent, or deleted its agent, in the meantime. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ToolkeepError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}
