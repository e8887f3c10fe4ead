// A daemon that is ended and started again in its home, at its address, while clients are connected to it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const END_MS = 20_000;

/** `daemon` with a `restart` that resolves once the new process is ready; `stop` ends whichever runs. */
export function restartable(daemon) {
  const { origin, port } = new URL(daemon.url);
  let child;
  return {
    ...daemon,
    restart: async () => {
      if (child) await end(child);
      else await endForeign(daemon.pid);
      child = spawn(process.execPath, [daemon.bin, "serve", "--json"], {
        env: { ...daemon.env, TOOLKEEP_PORT: port },
        cwd: daemon.env.TOOLKEEP_HOME,
        stdio: ["ignore", "ignore", "inherit"],
      });
      await untilHealthy(`${origin}/health`, child);
    },
    stop: async () => {
      if (child) await end(child);
      await daemon.stop();
    },
  };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** A process that another module started, and that tells that module when it is gone. */
async function endForeign(pid) {
  process.kill(pid, "SIGTERM");
  for (const limit = Date.now() + END_MS; isAlive(pid); await delay(50))
    if (Date.now() > limit)
      throw new Error(`the daemon (process ${pid}) did not end within ${END_MS / 1000} s`);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilHealthy(url, child) {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`the daemon did not start again: exit code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await delay(50);
  }
}
