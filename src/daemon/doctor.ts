import { spawnSync } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { ServerView } from "../api/contract.ts";
import { homeOf } from "../config/environment.ts";
import { checkFiles, loadSettings } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import { messageOf, ToolkeepError } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { openStore } from "../store/open.ts";
import { openDatabaseSync } from "../store/sqlite/database-sync.ts";
import { loadKey } from "../vault/key.ts";
import { type DaemonInfo, findDaemon } from "./daemon-file.ts";

/** One thing looked at. What is not `ok` says what to do about it. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly remedy?: string;
}

interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

const NODE_FLOOR = [20, 19];

/** Looks at everything but the servers. Changes nothing; resolves whatever is broken. */
export async function checkInstallation(place: Place): Promise<Check[]> {
  const { env, cwd, signal } = place;
  const home = homeOf(env, cwd);
  const daemon = await findDaemon(home, signal);
  const checks = [
    checkNode(process.versions.node),
    await checkHome(home),
    await checkKey(home, env),
    ...(await checkSettings(place)),
  ];
  const settings = await loadSettings({ env, cwd, isTrusted: () => false }).then(
    (loaded) => loaded.settings,
    () => undefined,
  );
  if (settings) checks.push(await checkStore(settings, daemon), await checkPort(settings, daemon));
  checks.push(checkDaemon(daemon), checkSandbox());
  return checks;
}

/** Whether the command of each local server is there. */
export async function checkServers(servers: readonly ServerView[], env: NodeJS.ProcessEnv): Promise<Check[]> {
  return Promise.all(servers.filter((server) => server.enabled).map((server) => checkServer(server, env)));
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = NODE_FLOOR as [number, number];
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return ok("node", version);
  return failed("node", `${version} is older than ${NODE_FLOOR.join(".")}`, "Install a newer Node.js.");
}

async function checkHome(home: string): Promise<Check> {
  const found = await stat(home).catch(() => undefined);
  if (!found) return checkPlaceFor(home);
  if (!found.isDirectory())
    return failed("home", `${home} is no folder`, "Remove it, or set another TOOLKEEP_HOME.");
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed("home", `${home} cannot be written`, "Make it yours, or set another TOOLKEEP_HOME.");
  }
  const others = found.mode & 0o077;
  return others
    ? warning("home", `${home} is open to others`, `Close it: chmod 700 ${home}`)
    : ok("home", home);
}

/** A home that is not there yet needs a folder above it that can be written. */
async function checkPlaceFor(home: string): Promise<Check> {
  let above = dirname(home);
  while (!existsSync(above)) above = dirname(above);
  try {
    await access(join(above, "."), constants.W_OK | constants.X_OK);
    return ok("home", `${home} is made at the first start`);
  } catch {
    return failed(
      "home",
      `${home} does not exist and cannot be made in ${above}`,
      "Make it yours, or set another TOOLKEEP_HOME.",
    );
  }
}

async function checkKey(home: string, env: NodeJS.ProcessEnv): Promise<Check> {
  if (!env.TOOLKEEP_KEY && !existsSync(join(home, "key"))) return ok("key", "is made at the first start");
  try {
    await loadKey({ home, env });
    return ok("key", env.TOOLKEEP_KEY ? "from TOOLKEEP_KEY" : join(home, "key"));
  } catch (error) {
    return broken("key", error);
  }
}

async function checkSettings({ env, cwd }: Place): Promise<Check[]> {
  const { problems, warnings } = await checkFiles({ env, cwd, isTrusted: () => true });
  if (problems.length + warnings.length === 0) return [ok("settings", "right")];
  return [
    ...problems.map(({ message }) =>
      failed("settings", message, "Correct it; toolkeep config check shows all."),
    ),
    ...warnings.map(({ message }) =>
      warning("settings", message, "Correct it, or leave it: it has no effect."),
    ),
  ];
}

async function checkStore(settings: Settings, daemon: DaemonInfo | undefined): Promise<Check> {
  const { home, databaseUrl } = settings;
  try {
    if (databaseUrl === null) return await checkSqlite(join(home, "toolkeep.db"));
    if (daemon) return ok("store", "PostgreSQL, in use by the daemon");
    const store = await openStore({ home, databaseUrl, clock: systemClock });
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
    "does not run; commands open the store themselves",
    "Start it: toolkeep serve, or toolkeep service install",
  );
}

function checkSandbox(): Check {
  const found = spawnSync("bwrap", ["--version"], { encoding: "utf8", timeout: 5_000 });
  if (found.status === 0) return ok("sandbox", found.stdout.trim());
  return warning(
    "sandbox",
    "bubblewrap is not there, so shell commands are not confined",
    "Install bubblewrap where your system has it.",
  );
}

async function checkServer(server: ServerView, env: NodeJS.ProcessEnv): Promise<Check> {
  const name = `server ${server.name}`;
  const { command } = server;
  if (server.state === "needs_auth" && server.oauth?.grant === "client_credentials")
    return warning(
      name,
      `its credentials were refused${server.lastError === null ? "" : ` (${server.lastError.replace(/; sign in with: .*$/, "")})`}`,
      `Correct them: toolkeep server edit ${server.name} --oauth-client-id ID --oauth-client-secret`,
    );
  if (server.state === "needs_auth")
    return warning(name, "wants somebody to sign in", `Sign in: toolkeep server auth ${server.name}`);
  if (server.state === "pending_approval")
    return warning(name, "waits for your approval", `Look at it: toolkeep server show ${server.name}`);
  if (command === null)
    return server.lastError
      ? warning(name, server.lastError, `Try it: toolkeep server test ${server.name}`)
      : ok(name, server.url ?? "");
  if (!(await isOnPath(command, env))) {
    return failed(
      name,
      `its command ${command} is not on the PATH`,
      `Install it, or change it: toolkeep server edit ${server.name} -- …`,
    );
  }
  if (server.lastError) return warning(name, server.lastError, `Try it: toolkeep server test ${server.name}`);
  return ok(name, `${command} is there`);
}

async function isOnPath(command: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const candidates =
    isAbsolute(command) || command.includes("/")
      ? [command]
      : (env.PATH ?? "").split(delimiter).map((folder) => join(folder, command));
  const found = await Promise.all(
    candidates.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}

function ok(name: string, detail: string): Check {
  return { name, state: "ok", detail };
}

function warning(name: string, detail: string, remedy: string): Check {
  return { name, state: "warning", detail, remedy };
}

function failed(name: string, detail: string, remedy: string): Check {
  return { name, state: "failed", detail, remedy };
}

function broken(name: string, error: unknown): Check {
  return failed(
    name,
    messageOf(error),
    error instanceof ToolkeepError
      ? error.remedy
      : "Check that the home can be written and the disk has room.",
  );
}
