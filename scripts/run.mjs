import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** Runs a command with this terminal; ends this process with its exit code when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs a tool of node_modules with this very Node. */
export function runTool(path, args) {
  run(process.execPath, [`node_modules/${path}`, ...args]);
}

/**
 * Runs tools of node_modules at the same time, each `{ name, path, args }`, and shows what one printed when it has ended.
 * When some fail, all are waited for, then this process ends with code 1. None outlives this process, unless that is killed.
 */
export async function runToolsTogether(tools) {
  const children = [];
  const stop = () => children.forEach(endGroup);
  const interrupt = () => process.exit(130);
  process.on("exit", stop).on("SIGINT", interrupt).on("SIGTERM", interrupt);
  const failed = await Promise.all(
    tools.map(async ({ name, path, args }) => {
      // A group of its own: these tools start another process, which would not end with them.
      const child = spawn(process.execPath, [`node_modules/${path}`, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      children.push(child);
      const printed = Promise.all([text(child.stdout), text(child.stderr)]);
      const [code] = await once(child, "close");
      const [out, err] = await printed;
      process.stdout.write(out);
      process.stderr.write(err);
      return code === 0 ? [] : [name];
    }),
  );
  process.off("exit", stop).off("SIGINT", interrupt).off("SIGTERM", interrupt);
  const names = failed.flat();
  if (names.length === 0) return;
  console.error(`toolkeep: failed: ${names.join(", ")}`);
  process.exit(1);
}

function endGroup(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has just ended.
  }
}
