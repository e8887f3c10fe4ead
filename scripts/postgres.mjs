/**
 * Finds PostgreSQL's programs for the tests, and installs them where that is possible without asking: as root on
 * Debian and its relatives. `scripts/prepare.mjs` calls this before the tests, `test/support/postgres-setup.ts` uses
 * what it found.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installWithApt } from "./apt.mjs";

/** The folder of `initdb` and `postgres`, or the reason why there is none. Prints what it does when it installs. */
export function ensurePostgres() {
  const bindir = findPostgres();
  if (bindir) return { bindir };
  // RUNLEVEL=1 asks the package not to start a server of its own: only its programs are wanted.
  const failed = installWithApt("PostgreSQL", "postgresql", { RUNLEVEL: "1" });
  if (failed) return { missing: failed };
  const installed = findPostgres();
  return installed
    ? { bindir: installed }
    : { missing: "PostgreSQL was installed, but initdb cannot be found" };
}

function findPostgres() {
  return candidates().find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
}

function candidates() {
  return [
    ...(process.env.PATH ?? "").split(delimiter).filter(Boolean),
    ...versionsUnder("/usr/lib/postgresql", "bin"),
    ...versionsUnder("/opt/homebrew/opt", "bin", /^postgresql/),
    ...versionsUnder("/usr/local/opt", "bin", /^postgresql/),
    ...versionsUnder("/Library/PostgreSQL", "bin"),
    spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim() ?? "",
  ];
}

/** Newest first. */
function versionsUnder(folder, rest, pattern = /^\d/) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
    .map((name) => join(folder, name, rest));
}
