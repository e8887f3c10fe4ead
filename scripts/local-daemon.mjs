// A daemon of this very tree for benchmarks and client tests: a free port, a home of its own, gone afterwards.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BIN = fileURLToPath(new URL("../bin/toolkeep", import.meta.url));
const STOP_MS = 15_000;

/** The command of a server that is a development dependency, so that it starts without the network. */
export function packagedServer(name, ...args) {
  const entry = fileURLToPath(
    new URL(`../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  );
  return { command: process.execPath, args: [entry, ...args] };
}

/**
 * Starts a daemon with `servers` (as in `mcpServers`) and an agent that may call the tools named in `grants`.
 * `settings` are further keys of its settings file. `await using` or `stop()` ends it and removes its home.
 */
export async function startLocalDaemon({ servers, grants, settings = {} }) {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-local-"));
  const file = { log_level: "error", ...settings, mcpServers: servers };
  await writeFile(join(home, "config.json"), JSON.stringify(file));
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    TOOLKEEP_HOME: home,
    TOOLKEEP_DEFAULT_RULES: "false",
    TOOLKEEP_PORT: "0",
  };
  const daemon = spawn(process.execPath, [BIN, "serve", "--json"], {
    env,
    cwd: home,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    if (daemon.exitCode === null) {
      daemon.kill("SIGTERM");
      const force = setTimeout(() => daemon.kill("SIGKILL"), STOP_MS);
      await once(daemon, "exit");
      clearTimeout(force);
    }
    await rm(home, { recursive: true, force: true });
  };
  try {
    const { url, firstStart } = await firstJson(daemon);
    const toolkeep = (...args) => promisify(execFile)(process.execPath, [BIN, ...args], { env, cwd: home });
    for (const name of Object.keys(servers)) await toolkeep("server", "test", name);
    await toolkeep("agent", "edit", firstStart.agent, ...grants.flatMap((grant) => ["--grant", grant]));
    return { url: `${url}/mcp`, token: firstStart.token, pid: daemon.pid, env, bin: BIN, toolkeep, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What `serve --json` prints once it is ready. */
async function firstJson(daemon) {
  let text = "";
  for await (const chunk of daemon.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    try {
      return JSON.parse(text);
    } catch {
      // Not all of it yet.
    }
  }
  throw new Error(`the daemon ended before it was ready: ${text}`);
}
