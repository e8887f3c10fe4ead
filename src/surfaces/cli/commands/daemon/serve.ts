import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import type { ToolkeepError } from "../../../../contract/errors.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { starterGone } from "../../../../machine/process/starter-gone.ts";
import type { Daemon } from "../../../daemon/start-daemon.ts";
import { homeHere } from "../../home.ts";
import { ownName } from "../../own-name.ts";
import { readPort } from "../../port.ts";
import type { Run, Shell } from "../../shell.ts";
import type { Terminal } from "../../terminal.ts";

/**
 * Left alone, V8 lets the heap of a daemon that hands on large results grow to several times what is in use, and keeps it
 * so. This has it collect once the heap has doubled: half the growth under load, for a few percent of CPU where results
 * are large (`npm run bench -- gateway --parts memory`).
 */
const HEAP_GROWTH = "--heap-growing-percent=100";

/**
 * V8 sees that records of calls last until they are written, and from then on makes whatever else comes from the same lines
 * of code where it keeps what lasts. One such object holds its whole call, which nothing but a full collection takes
 * away again: a tenth of the CPU of a call.
 */
const ALL_BEGIN_YOUNG = "--no-allocation-site-pretenuring";

/**
 * A call goes through many small functions, more than V8 puts into one by itself. With one client at a time, when other
 * processes have had the processor between two calls, each that stands alone has to be fetched anew: a twentieth of the time
 * that a call takes.
 */
const TOGETHER = "--max-inlined-bytecode-size-cumulative=4000";

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
      "run the daemon",
      "Runs the daemon: MCP at /mcp, the API, the dashboard. Ctrl-C finishes the calls under way and ends it.",
      serve,
      "",
      "--port 8080",
    )
    .option("--host <address>", "the address to listen on, over TOOLKEEP_HOST and the settings")
    .option("--port <port>", "the port to listen on, over TOOLKEEP_PORT and the settings")
    .option("--quiet", "write the log to daemon.log in the home only, not to standard error")
    .option("--background", "print nothing and create no first agent, as toolkeep stdio starts it");
}

async function serve(run: Run, options: ServeOptions): Promise<undefined> {
  const startedAt = performance.now();
  // From the beginning: whoever started it may be gone before it is ready.
  const orphaned = startedByNpm(run.terminal.env) ? starterGone(run.terminal.signal) : undefined;
  for (const flag of [HEAP_GROWTH, ALL_BEGIN_YOUNG, TOGETHER]) setFlagsFromString(flag);
  const { startDaemon } = await import("../../../daemon/start-daemon.ts");
  const { createLog } = await import("../../../daemon/log/log.ts");
  const { packageVersion } = await import("../../../../machine/process/own-package.ts");
  const { systemClock } = await import("../../../../lib/clock.ts");
  const { openLogFile } = await import("../../../daemon/log/log-file.ts");
  const { terminal } = run;
  const file = openLogFile(await homeHere(terminal));

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
    lost = await stopped(terminal.signal, daemon, orphaned);
  } finally {
    // What cannot be written to a home that is gone must not hide that it is.
    await daemon.close().catch((error: unknown) => {
      if (!lost) throw error;
    });
    file.close();
  }
  if (lost) throw lost;
}

/** Waits until the daemon is asked to end, or has lost its home: then what to say about it. */
async function stopped(
  signal: AbortSignal,
  { lost }: Daemon,
  orphaned: Promise<void> | undefined,
): Promise<ToolkeepError | undefined> {
  if (signal.aborted) return undefined;
  const asked = once(signal, "abort").then(() => undefined);
  return await Promise.race([asked, lost, ...(orphaned ? [orphaned.then(() => undefined)] : [])]);
}

/** `npm start` and the like: whoever ends npm means the daemon. */
function startedByNpm(env: NodeJS.ProcessEnv): boolean {
  return env.npm_lifecycle_event !== undefined;
}

async function announce(run: Run, daemon: Daemon, readyMs: number): Promise<void> {
  const { url, home, firstStart, counts } = daemon;
  run.print(
    { url, home, pid: process.pid, readyMs, firstStart, counts },
    await greeting(run.terminal, daemon, readyMs),
  );
}

async function greeting(
  terminal: Terminal,
  { url, home, firstStart, counts }: Daemon,
  readyMs: number,
): Promise<string> {
  if (!firstStart) {
    const { servers, tools, agents } = counts;
    return `Toolkeep is at ${url} (MCP at ${url}/mcp)\n${counted(servers, "server")}, ${counted(tools, "tool")}, ${counted(agents, "agent")}; ready in ${readyMs} ms\n`;
  }
  const { clientSnippet } = await import("../../../daemon/client-snippet.ts");
  const name = ownName(terminal.env);
  return `Toolkeep is at ${url}, with its files in ${home}.

This is the first start, so the agent ${firstStart.agent} was created. Connect a client as this agent; the token is
shown this once.

${clientSnippet({ url, token: firstStart.token })}
What to do next, in another terminal${name === "toolkeep" ? "" : " and this folder"}:

  ${name} server add fs -- npx -y @modelcontextprotocol/server-filesystem .
  ${name} agent edit ${firstStart.agent} --grant mcp_fs_read_text_file
  ${name} open

Ready in ${readyMs} ms.
`;
}
