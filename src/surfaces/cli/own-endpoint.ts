import type { Status } from "../api/contract.ts";
import { readRemoteDaemon } from "./client/remote.ts";
import type { Run } from "./shell.ts";

/** The address at which MCP clients on this machine reach the daemon. */
export async function getOwnEndpoint(run: Run): Promise<string> {
  const { url } = await run.get<Status>("/api/status");
  const base = readRemoteDaemon(run.terminal.env)?.url ?? url;
  // A daemon that listens on all interfaces is reachable on loopback.
  return `${base.replace("//0.0.0.0:", "//127.0.0.1:")}/mcp`;
}
