import type { Status } from "../api/contract.ts";
import { remoteDaemon } from "./client/remote.ts";
import type { Run } from "./shell.ts";

/** The address at which MCP clients on this machine reach the daemon. */
export async function ownEndpoint(run: Run): Promise<string> {
  const { url } = await run.get<Status>("/api/status");
  const base = remoteDaemon(run.terminal.env)?.url ?? url;
  // A daemon that listens everywhere is reached here like any other.
  return `${base.replace("//0.0.0.0:", "//127.0.0.1:")}/mcp`;
}
