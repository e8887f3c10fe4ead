import type { IncomingMessage } from "node:http";
import type { Scope } from "../../contract/caller.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { AgentPrincipal } from "./authenticate.ts";
import { RELAY_HEADER } from "./protocol.ts";

/** With `stdio.writes: false` a client on `toolkeep stdio` gets only those tools of these scopes that read. */
const WRITES: readonly Scope[] = ["memory.write", "ingest", "sync", "files", "shell", "admin"];

/** Narrows a client on `toolkeep stdio` to reading, where the settings say so. */
export function relayed(
  principal: AgentPrincipal,
  { headers }: Pick<IncomingMessage, "headers">,
  { stdio }: Pick<Settings, "stdio">,
): AgentPrincipal {
  const isReadOnly = headers[RELAY_HEADER] !== undefined && !stdio.writes;
  return isReadOnly ? { ...principal, withheld: WRITES } : principal;
}
