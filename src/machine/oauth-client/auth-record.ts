import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/client";

/** The demands of a server that refused a request for missing rights. */
export interface Challenge {
  readonly resourceMetadataUrl?: string;
  readonly scope?: string;
}

/** The sign-in endpoints of a server, as discovered. */
export interface Discovery {
  /** Identifies the authorization server; whatever it issued is for it alone. */
  readonly issuer: string;
  readonly authorizationServerUrl: string;
  readonly metadata?: AuthorizationServerMetadata;
  /** The server as the authorization server knows it (RFC 8707), exactly as it was published. */
  readonly resource?: string;
  readonly scopesSupported?: readonly string[];
}

/** How Toolkeep introduces itself to one authorization server. */
export interface KnownClient {
  readonly information: OAuthClientInformationMixed;
  /** The address it was registered with; a client from the configuration has none. */
  readonly redirectUri?: string;
}

/** The result of signing in. */
export interface Grant {
  /** When a person signed in. */
  readonly at: number;
  readonly discovery: Discovery;
  readonly client: OAuthClientInformationMixed;
  readonly refreshToken?: string;
  /** The granted scope, if the server named it. */
  readonly scope?: string;
}

/** A person is on their way through a browser. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly scope?: string;
  readonly discovery: Discovery;
  readonly client: OAuthClientInformationMixed;
  readonly expiresAt: number;
  /** The browser has come back, once and for all; what it brought is being looked at. */
  readonly isTaken?: true;
}

/** Everything about signing in to one server that outlives the process. Access tokens do not. */
export interface AuthRecord {
  /** The address that this record belongs to. A grant for another address is never sent to this one. */
  readonly url: string;
  readonly challenge?: Challenge;
  /** Registrations by issuer. */
  readonly clients?: Readonly<Record<string, KnownClient>>;
  /** The issuer that the configured client secret was first shown to; it is shown to no other. */
  readonly secretFor?: string;
  /** The last requested scope and its issuer, granted or not. */
  readonly asked?: { readonly issuer: string; readonly scope?: string };
  readonly grant?: Grant;
  readonly pending?: PendingSignIn;
}

/** The server that a record belongs to: by id in the store, or one that is not registered and leaves nothing there. */
export interface RecordOwner {
  readonly id: string | null;
  readonly name: string;
  readonly url: string;
}

/** Keeps the records of those that Toolkeep signs in to. */
export interface AuthRecordKeeper {
  /** Reads the record of this address; an empty one if there is none or it cannot be read. */
  read(owner: RecordOwner): Promise<AuthRecord>;
  /** Stores what `change` makes of the record, and gives it back; null forgets everything. */
  change(owner: RecordOwner, change: (record: AuthRecord) => AuthRecord | null): Promise<AuthRecord | null>;
}
