import type { Role, TokenScope } from "../../../../contract/caller.ts";

export interface TokenRecord {
  readonly id: string;
  readonly kind: "agent" | "admin";
  /** Null for an admin token. */
  readonly agentId: string | null;
  readonly label: string;
  /** SHA-256 of the whole token, hex. */
  readonly hash: string;
  /** The last four characters, for people. */
  readonly hint: string;
  /** Null: every scope of tools, and the labels that the settings give its agent. */
  readonly scopes: readonly TokenScope[] | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  /** The consent it was issued for, with which it ends; null where a person created it. */
  readonly consentId: string | null;
  /** The only path it opens, with what is below; null: every one. */
  readonly resource: string | null;
  /** Null: what the settings say. */
  readonly requestsPerMinute: number | null;
  /** What an admin token may do; null for an agent's. */
  readonly role: Role | null;
  /** A person sits at its client, who may approve single calls there. */
  readonly interactive: boolean;
}

export interface TokenStore {
  list(): Promise<TokenRecord[]>;
  has(hash: string): Promise<boolean>;
  create(token: TokenRecord): Promise<void>;
  /** With the consent that it was issued for, so that nobody renews it. */
  delete(id: string): Promise<void>;
  touch(id: string, at: number): Promise<void>;
}

/** A person's yes to a client: until it ends or is taken back, the client gets tokens of one agent. */
export interface ConsentRecord {
  readonly id: string;
  readonly agentId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scopes: readonly TokenScope[];
  /** The only path that its tokens open, with what is below. */
  readonly resource: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a client exchanges for an access token, once. */
export interface ConsentKeyRecord {
  /** SHA-256, hex. */
  readonly hash: string;
  readonly consentId: string;
  readonly kind: "code" | "refresh";
  /** With the key itself it makes what is issued for it. */
  readonly salt: string;
  /** Of a code: the S256 challenge that it was asked for with, and where it was sent. */
  readonly challenge: string | null;
  readonly redirectUri: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Kept after its use, so that a second one is noticed. */
  readonly usedAt: number | null;
}

export interface IssuedRecords {
  /** Its `consentId` is set. Takes the place of the one with the same id, which then opens nothing any more. */
  readonly token: TokenRecord;
  readonly refresh: ConsentKeyRecord | null;
  /** When the consent ends now. */
  readonly expiresAt: number;
}

export interface ConsentStore {
  /** Oldest first. */
  list(): Promise<ConsentRecord[]>;
  get(id: string): Promise<ConsentRecord | undefined>;
  /** With its code. Removes what has ended by then. */
  create(consent: ConsentRecord, code: ConsentKeyRecord): Promise<void>;
  key(hash: string): Promise<{ key: ConsentKeyRecord; consent: ConsentRecord } | undefined>;
  /**
   * Notes the use of a key and writes what is issued for it, in one step; of several processes one does. False when the
   * key was used before or is gone: then nothing was written.
   */
  use(hash: string, at: number, issued: IssuedRecords): Promise<boolean>;
  /** Its keys and tokens end with it. */
  delete(id: string): Promise<void>;
}
