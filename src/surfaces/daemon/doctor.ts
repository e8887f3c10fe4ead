import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { broken, type Check, failed, ok, warning } from "../../contract/health.ts";
import { checkMachine, checkSandbox } from "../../features/admin/check-machine.ts";
import { loadHomeSettings, openHomeStore } from "../../features.ts";
import { systemClock } from "../../lib/clock.ts";
import { randomId } from "../../lib/id.ts";
import { homeOf } from "../../machine/config/environment.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { openDatabaseSync } from "../../machine/db/sqlite/database-sync.ts";
import { createSandbox } from "../../machine/process/sandbox.ts";
import { type DaemonInfo, findDaemon } from "./daemon-file.ts";

interface CheckInput {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Checks everything except the servers. Changes nothing, and resolves even if everything is broken. */
export async function checkInstallation({ env, cwd, signal }: CheckInput): Promise<Check[]> {
  const home = homeOf(env, cwd);
  const daemon = await findDaemon(home, signal);
  const checks = await checkMachine({ home, env, cwd, isTrusted: () => true });
  const settings = await loadHomeSettings({ env, cwd, isTrusted: () => false }).then(
    (loaded) => loaded.settings,
    () => undefined,
  );
  if (settings) checks.push(await checkStore(settings, daemon), await checkPort(settings, daemon));
  const sandbox = createSandbox({ home, env, clock: systemClock, newId: randomId });
  const works = await sandbox.check();
  checks.push(checkDaemon(daemon), checkSandbox(works, settings?.shell.sandbox ?? "auto"));
  return checks;
}

async function checkStore(settings: Settings, daemon: DaemonInfo | undefined): Promise<Check> {
  const { home, databaseUrl } = settings;
  try {
    if (databaseUrl === null) return await checkSqlite(join(home, "toolkeep.db"));
    if (daemon) return ok("store", "PostgreSQL, in use by the daemon");
    const store = await openHomeStore({ home, databaseUrl, clock: systemClock });
    await store.close();
    return ok("store", "PostgreSQL answers");
  } catch (error) {
    return broken("store", error);
  }
}

async function checkSqlite(file: string): Promise<Check> {
  if (!existsSync(file)) return ok("store", `${file} is made at the first start`);
  const database = await openDatabaseSync(file);
  try {
    const rows = database.prepare("pragma quick_check").all() as { quick_check: string }[];
    const problems = rows.map((row) => row.quick_check).filter((verdict) => verdict !== "ok");
    if (problems.length === 0) return ok("store", file);
    return failed(
      "store",
      `${file} is damaged: ${problems.slice(0, 3).join("; ")}`,
      "Restore a backup: toolkeep restore FILE --force",
    );
  } finally {
    database.close();
  }
}

async function checkPort({ host, port }: Settings, daemon: DaemonInfo | undefined): Promise<Check> {
  if (daemon) return ok("port", `the daemon listens at ${daemon.url}`);
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once("error", resolve).listen(port, host, () => server.close(() => resolve(undefined)));
  });
  if (!problem) return ok("port", `${host}:${port} is free`);
  return failed(
    "port",
    `${host}:${port} cannot be used: ${problem.message}`,
    "Stop what listens there, or set TOOLKEEP_PORT.",
  );
}

function checkDaemon(daemon: DaemonInfo | undefined): Check {
  if (daemon) return ok("daemon", `runs with process id ${daemon.pid}`);
  return warning(
    "daemon",
    "is not running; commands open the store themselves",
    "Start it: toolkeep serve, or toolkeep service install",
  );
}
