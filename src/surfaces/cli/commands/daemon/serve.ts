import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import type { ToolkeepError } from "../../../../contract/errors.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { watchStarter } from "../../../../machine/process/starter-gone.ts";
import type { Daemon } from "../../../daemon/start-daemon.ts";
import { findHome } from "../../home.ts";
import { getOwnName } from "../../own-name.ts";
import { readPort } from "../../port.ts";
import type { Run, Shell } from "../../shell.ts";
import type { Terminal } from "../../terminal.ts";

/**
 * By default V8 lets the heap of a daemon that passes on large results grow to several times its live size, and keeps it
 * there. With this flag V8 collects once the heap has doubled: half the growth under load, for a few percent of CPU when
 * results are large (`npm run bench -- gateway --parts memory`).
 */
const HEAP_GROWTH = "--heap-growing-percent=100";

/**
 * V8 notices that call records live until they are written, and then allocates everything from the same allocation sites
 * in the old generation. One such object keeps its whole call alive until a full collection. Without pretenuring a call
 * takes a tenth less CPU.
 */
const NO_PRETENURING = "--no-allocation-site-pretenuring";

/**
 * A call runs through many small functions, more than V8 inlines by default. With one client at a time, when other
 * processes use the processor between two calls, each function that is not inlined has to be fetched into the cache again:
 * a twentieth of the time of a call.
 */
const INLINE_MORE = "--max-inlined-bytecode-size-cumulative=4000";

interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly background?: boolean;
  readonly quiet?: boolean;
}

export function serveCommand(shell: Shell): Command {
  return shell
    .single(
      "serve",
      "Run the daemon",
      "Run the daemon: MCP at /mcp, the API and the dashboard. Ctrl-C finishes running calls and stops it.",
      serve,
      "",
      "--port 8080",
    )
    .option("--host <address>", "Address to listen on; overrides TOOLKEEP_HOST and the settings")
    .option("--port <port>", "Port to listen on; overrides TOOLKEEP_PORT and the settings")
    .option("--quiet", "Write the log only to daemon.log in the home, not to standard error")
    .option("--background", "Print nothing and create no first agent (used by toolkeep stdio)");
}

async function serve(run: Run, options: ServeOptions): Promise<undefined> {
  const startedAt = performance.now();
  // Watch from the start: the parent process may exit before the daemon is ready.
  const parentExit = isStartedByNpm(run.terminal.env) ? watchStarter(run.terminal.signal) : undefined;
  for (const flag of [HEAP_GROWTH, NO_PRETENURING, INLINE_MORE]) setFlagsFromString(flag);
  const { startDaemon } = await import("../../../daemon/start-daemon.ts");
  const { createLog } = await import("../../../daemon/log/log.ts");
  const { packageVersion } = await import("../../../../machine/process/own-package.ts");
  const { systemClock } = await import("../../../../lib/clock.ts");
  const { openLogFile } = await import("../../../daemon/log/log-file.ts");
  const { terminal } = run;
  const file = openLogFile(await findHome(terminal));

  const daemon = await startDaemon({
    env: {
      ...terminal.env,
      ...(options.host ? { TOOLKEEP_HOST: options.host } : {}),
      ...(options.port === undefined ? {} : { TOOLKEEP_PORT: String(readPort(options.port)) }),
    },
    cwd: terminal.cwd,
    log: createLog({
      level: "info",
      human: process.stderr.isTTY === true,
      write: options.quiet || options.background ? () => {} : terminal.err,
      file,
    }),
    version: packageVersion(),
    clock: systemClock,
    firstStart: !options.background,
  });
  let lost: ToolkeepError | undefined;
  try {
    if (!options.background) await announce(run, daemon, Math.round(performance.now() - startedAt));
    lost = await waitForStop(terminal.signal, daemon, parentExit);
  } finally {
    // Without its home, closing fails too. That error must not hide the lost home.
    await daemon.close().catch((error: unknown) => {
      if (!lost) throw error;
    });
    file.close();
  }
  if (lost) throw lost;
}

/** Resolves when the daemon is asked to stop; with an error if it lost its home. */
async function waitForStop(
  signal: AbortSignal,
  { homeLoss: lost }: Daemon,
  parentExit: Promise<void> | undefined,
): Promise<ToolkeepError | undefined> {
  if (signal.aborted) return undefined;
  const stopRequest = once(signal, "abort").then(() => undefined);
  return await Promise.race([stopRequest, lost, ...(parentExit ? [parentExit.then(() => undefined)] : [])]);
}

/** With `npm start`, stopping npm has to stop the daemon. */
function isStartedByNpm(env: NodeJS.ProcessEnv): boolean {
  return env.npm_lifecycle_event !== undefined;
}

async function announce(run: Run, daemon: Daemon, readyMs: number): Promise<void> {
  const { url, home, firstStart, counts } = daemon;
  run.print(
    { url, home, pid: process.pid, readyMs, firstStart, counts },
    await renderGreeting(run.terminal, daemon, readyMs),
  );
}

async function renderGreeting(
  terminal: Terminal,
  { url, home, firstStart, counts }: Daemon,
  readyMs: number,
): Promise<string> {
  if (!firstStart) {
    const { servers, tools, agents } = counts;
    return `Toolkeep is running at ${url} (MCP at ${url}/mcp)\n${counted(servers, "server")}, ${counted(tools, "tool")}, ${counted(agents, "agent")}; ready in ${readyMs} ms\n`;
  }
  const { formatClientSnippet: clientSnippet } = await import("../../../daemon/client-snippet.ts");
  const name = getOwnName(terminal.env);
  return `Toolkeep is running at ${url}, with its files in ${home}.

This is the first start, so Toolkeep created the agent ${firstStart.agent}. Connect a client as this agent. The token is
shown only once.

${clientSnippet({ url, token: firstStart.token })}
Next steps, in another terminal${name === "toolkeep" ? "" : " and in this folder"}:

  ${name} server add fs -- npx -y @modelcontextprotocol/server-filesystem .
  ${name} agent edit ${firstStart.agent} --grant mcp_fs_read_text_file
  ${name} open

Ready in ${readyMs} ms.
`;
}
