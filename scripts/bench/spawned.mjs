// Processes of a benchmark: started with a clean environment, ended with everything they started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

const STOP_MS = 10_000;
const LAST_WORDS = 2_000;

/** Groups that still run. They are none of the terminal's, so Ctrl-C would leave them behind. */
const living = new Set();
process.on("exit", () => {
  for (const pid of living) endGroup(pid);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/**
 * Starts `node ARGS…` in a group of its own. `firstLine()` is what it prints first; `stop()` ends it and its children; `lastWords()` is the end
 * of its stderr.
 */
export function spawnNode(args, { env = {}, cwd } = {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let words = "";
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    words = (words + chunk).slice(-LAST_WORDS);
  });
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    printed = (printed + chunk).slice(-LAST_WORDS);
  });
  const exited = once(child, "exit");
  living.add(child.pid);
  return {
    pid: child.pid,
    startedAt,
    firstLine: async () => {
      while (!printed.includes("\n")) {
        await Promise.race([once(child.stdout, "data"), exited]);
        if (child.exitCode !== null) throw new Error(`${args.join(" ")} ended: ${words}`);
      }
      return printed.split("\n")[0];
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    lastWords: () => words,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      const force = setTimeout(() => endGroup(child.pid), STOP_MS);
      await exited;
      clearTimeout(force);
      endGroup(child.pid);
      living.delete(child.pid);
    },
  };
}

/** Some programs leave their children behind. */
function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

/** A port that was free a moment ago, for programs that cannot take any free one themselves. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
