import type { Command } from "commander";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { readRemoteDaemon } from "../../client/remote.ts";
import { findHome } from "../../home.ts";
import type { Run, Shell } from "../../shell.ts";
import type { Terminal } from "../../terminal.ts";

export function stdioCommand(shell: Shell): Command {
  return shell.single(
    "stdio",
    "Serve MCP over standard input and output",
    "Relay MCP to the daemon, for clients that start their servers as processes. Starts a daemon in the background if none is running. Acts as the agent of TOOLKEEP_TOKEN.",
    stdio,
  );
}

async function stdio({ terminal }: Run): Promise<number> {
  const { url, token } = await findOrStartDaemon(terminal);
  const { relayStdio } = await import("../../../gateway/stdio/stdio-relay.ts");
  const { createLog } = await import("../../../daemon/log/log.ts");
  return relayStdio({
    url: `${url}/mcp`,
    token,
    stdin: process.stdin,
    stdout: process.stdout,
    signal: terminal.signal,
    log: createLog({ level: "warn", human: process.stderr.isTTY === true, write: terminal.err }).logger,
  });
}

/** Standard output belongs to the protocol from the first byte, so every problem has to be reported before the relay starts. */
async function findOrStartDaemon(terminal: Terminal): Promise<{ url: string; token: string }> {
  const token = terminal.env.TOOLKEEP_TOKEN?.trim();
  if (!token) {
    throw new ToolkeepError(
      "UNAUTHORIZED",
      "TOOLKEEP_TOKEN is not set; it says which agent toolkeep stdio acts as. Create one: toolkeep token create --agent NAME",
    );
  }
  const remote = readRemoteDaemon(terminal.env);
  if (remote) return remote;
  const { ensureDaemon } = await import("../../../daemon/ensure-daemon.ts");
  const { url } = await ensureDaemon(await findHome(terminal), terminal.env, terminal.signal);
  return { url, token };
}
