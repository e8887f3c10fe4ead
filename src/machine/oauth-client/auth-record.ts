import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/client";

/** What a server said it wants when it refused a request for want of rights. */
export interface Challenge {
  readonly resourceMetadataUrl?: string;
  readonly scope?: string;
}

/** Where a server lets people sign in, as it was found. */
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

/** What signing in left behind. */
export interface Grant {
  /** When a person signed in. */
  readonly at: number;
  readonly discovery: Discovery;
  readonly client: OAuthClientInformationMixed;
  readonly refreshToken?: string;
  /** What was granted, as far as it was said. */
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
  /** The address all of this is for; what was granted for another one never goes to this one. */
  readonly url: string;
  readonly challenge?: Challenge;
  /** Registrations by issuer. */
  readonly clients?: Readonly<Record<string, KnownClient>>;
  /** The issuer that the configured client secret was first shown to; it is shown to no other. */
  readonly secretFor?: string;
  /** What was asked for last, and of whom, granted or not. */
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
  /** What is stored for this address; an empty record where there is nothing, or it cannot be read. */
  read(owner: RecordOwner): Promise<AuthRecord>;
  /** Stores what `change` makes of the record, and gives it back; null forgets everything. */
  change(owner: RecordOwner, change: (record: AuthRecord) => AuthRecord | null): Promise<AuthRecord | null>;
}
