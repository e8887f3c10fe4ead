import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "../../../lib/result.ts";
import { childEnvironment } from "../../../machine/process/environment.ts";
import { findProgram } from "../../../machine/process/find-program.ts";
import type { Processes } from "../../../machine/process/processes.ts";
import { runCommand } from "../../../machine/process/run-command.ts";

export interface NpmDeps {
  readonly processes: Processes;
  readonly baseEnv: NodeJS.ProcessEnv;
  readonly isSecret: (value: string) => boolean;
}

const LIMIT_MS = 5 * 60_000;
const MAX_OUTPUT = 32 * 1024;
const MAX_SHOWN = 1_500;
/** A registry package with an optional version, range or tag. URLs and paths do not match. */
const SPEC = /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([^\s/:@]{1,100}))?$/i;

/** The package name in a spec; undefined if it is not a registry package. */
export function parsePackageName(spec: string): string | undefined {
  return spec.length > 300 ? undefined : SPEC.exec(spec)?.[1];
}

/**
 * Installs a package and its dependencies into an empty folder, without running any of their code: install scripts are
 * disabled. The error contains the output of npm.
 */
export async function npmInstall(
  spec: string,
  folder: string,
  { processes, baseEnv, isSecret }: NpmDeps,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const npm = await findProgram("npm", baseEnv.PATH);
  if (npm === undefined) return err("npm is not on the PATH of the daemon; install it with Node.js");
  // Set a fixed name; otherwise npm writes the folder's name into its lock file, and no two installs are equal.
  await writeFile(join(folder, "package.json"), '{ "name": "plugin-with-dependencies", "private": true }\n');
  const ran = await runCommand(
    processes,
    {
      file: npm,
      args: ["install", "--prefix", folder, ...OPTIONS, "--", spec],
      cwd: folder,
      env: childEnvironment(baseEnv, {}, isSecret),
      timeoutMs: LIMIT_MS,
      maxOutputBytes: MAX_OUTPUT,
    },
    signal,
  );
  if (ran.reason === "cancelled") return err("npm install was cancelled");
  if (ran.reason === "timed_out") return err(`npm install took longer than ${LIMIT_MS / 60_000} minutes`);
  if (ran.reason === "ended" && ran.code === 0) return ok(undefined);
  const output = `${ran.errors.trim() || ran.output.trim() || "no output"}`;
  return err(`npm install ${spec} failed (exit code ${ran.code ?? "none"}): ${output.slice(0, MAX_SHOWN)}`);
}

const OPTIONS = [
  "--ignore-scripts",
  "--location=project",
  "--install-strategy=hoisted",
  "--omit=dev",
  "--save-exact",
  "--no-bin-links",
  "--no-audit",
  "--no-fund",
  "--no-progress",
  "--no-update-notifier",
  "--loglevel=error",
];
