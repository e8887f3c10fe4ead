import type { ServerConfig } from "../../machine/config/settings.ts";
import type { RecordOwner } from "../../machine/oauth-client/auth-record.ts";

/** A remote server as far as signing in to it goes. */
export interface SignInTarget {
  /** Null: a configuration that is not registered; nothing about it is stored. */
  readonly id: string | null;
  readonly name: string;
  readonly config: ServerConfig;
  /** Whether a person named its address; only then may it be in a private network. */
  readonly isPersonNamed: boolean;
}

/** Whether Toolkeep signs in there at all: a fixed Authorization header without more is all there is to send. */
export function signsIn({ transport, oauth, headers }: ServerConfig): boolean {
  if (transport === "stdio") return false;
  return oauth !== null || !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

export function ownerOf({ id, name, config }: SignInTarget): RecordOwner {
  return { id, name, url: config.url! };
}

/** Where a person signs in. `url` is null where nobody has to: Toolkeep has signed in by itself. */
export interface SignInStart {
  readonly url: string | null;
  readonly expiresAt: number | null;
}

/** How far signing in to a server has come; nothing secret. */
export interface SignInStatus {
  /** Whether there is a token, or something to get one with. */
  readonly signedIn: boolean;
  /** When a person signed in last. */
  readonly signedInAt: number | null;
  /** While a person is on their way through a browser: until when that counts. */
  readonly pendingUntil: number | null;
  /** The authorization server that let Toolkeep in, and what it granted. */
  readonly issuer: string | null;
  readonly scope: string | null;
  /** Why the last attempt failed; null when it did not. */
  readonly failure: string | null;
}
