import { spawnSync } from "node:child_process";

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
