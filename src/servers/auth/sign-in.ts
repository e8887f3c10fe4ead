import type { ServerConfig } from "../../machine/config/settings.ts";
import type { RecordOwner } from "../../machine/oauth-client/auth-record.ts";

/** The part of a remote server that signing in needs. */
export interface SignInTarget {
  /** Null for an unregistered configuration, of which nothing is stored. */
  readonly id: string | null;
  readonly name: string;
  readonly config: ServerConfig;
  /** Whether a person named its address; only then may it be in a private network. */
  readonly isPersonNamed: boolean;
}

/** Whether Toolkeep can sign in: without OAuth settings a fixed Authorization header rules it out. */
export function canSignIn({ transport, oauth, headers }: ServerConfig): boolean {
  if (transport === "stdio") return false;
  return oauth !== null || !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

export function toRecordOwner({ id, name, config }: SignInTarget): RecordOwner {
  return { id, name, url: config.url! };
}

/** Where a person signs in. `url` is null if Toolkeep has signed in by itself. */
export interface SignInStart {
  readonly url: string | null;
  readonly expiresAt: number | null;
}

/** The state of signing in to a server, without secrets. */
export interface SignInStatus {
  /** Whether there is a token, or something to obtain one with. */
  readonly signedIn: boolean;
  /** When a person last signed in. */
  readonly signedInAt: number | null;
  /** The deadline of a browser sign-in under way. */
  readonly pendingUntil: number | null;
  /** The authorization server that issued the grant, and the granted scope. */
  readonly issuer: string | null;
  readonly scope: string | null;
  /** Why the last attempt failed; null if it did not. */
  readonly failure: string | null;
}
