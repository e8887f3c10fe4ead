import type { ServerConfig } from "../../machine/config/settings.ts";
import type { RecordOwner } from "./auth-record.ts";

/** A remote server as far as signing in to it goes. */
export interface SignInTarget {
  /** Null: a configuration that is not registered; nothing about it is stored. */
  readonly id: string | null;
  readonly name: string;
  readonly config: ServerConfig;
  /** Whether a person named its address; only then may it be in a private network. */
  readonly personNamed: boolean;
}

/** Whether Toolkeep signs in there at all: a fixed Authorization header without more is all there is to send. */
export function signsIn({ transport, oauth, headers }: ServerConfig): boolean {
  if (transport === "stdio") return false;
  return oauth !== null || !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

export function ownerOf({ id, name, config }: SignInTarget): RecordOwner {
  return { id, name, url: config.url! };
}
