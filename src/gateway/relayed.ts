import type { IncomingMessage } from "node:http";
import type { Scope } from "../caller.ts";
import type { Settings } from "../config/settings.ts";
import type { AgentPrincipal } from "./authenticate.ts";
import { RELAY_HEADER } from "./protocol.ts";

/** What writes down what an agent says, or has the machine read its sources. */
const WRITES: readonly Scope[] = ["memory.write", "ingest", "sync"];

/** Who came over `toolkeep stdio` writes only where the settings let them. */
export function relayed(
  principal: AgentPrincipal,
  { headers }: Pick<IncomingMessage, "headers">,
  { stdio }: Pick<Settings, "stdio">,
): AgentPrincipal {
  const isReadOnly = headers[RELAY_HEADER] !== undefined && !stdio.allowWrites;
  return isReadOnly ? { ...principal, withheld: WRITES } : principal;
}
