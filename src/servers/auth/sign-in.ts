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
