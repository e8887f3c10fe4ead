import { mkdir, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../lib/files/inside.ts";
import type { SandboxConfig, ServerConfig } from "../../machine/config/settings.ts";
import { findProgram } from "../../machine/process/find-program.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { ShownPath } from "../../machine/process/sandbox-mounts.ts";
import type { StdioCommand } from "./stdio-transport.ts";

export interface ConfinementDeps {
  readonly sandbox: Sandbox;
  /** `TOOLKEEP_HOME`. */
  readonly home: string;
  /** Called with the reason if an optional sandbox is unavailable or incomplete. */
  readonly onUnconfined: (reason: string) => void;
}

/**
 * Builds the command that starts a local server. Throws a message for people if its sandbox is required and unavailable,
 * or if a path that the sandbox names does not exist.
 */
export async function buildServerCommand(
  config: ServerConfig,
  serverId: string | null,
  env: Readonly<Record<string, string>>,
  deps: ConfinementDeps,
): Promise<StdioCommand> {
  const plain: StdioCommand = { command: config.command!, args: config.args, cwd: config.cwd, env };
  const { sandbox } = config;
  if (sandbox === null || sandbox.mode === "off") return plain;

  const checked = await deps.sandbox.check();
  if (!checked.ok && sandbox.mode === "required") throw new Error(describeUnavailable(checked.error));
  if (!checked.ok) {
    deps.onUnconfined(checked.error);
    return plain;
  }
  const folder = await resolveStartFolder(config, env);
  const start = { file: await resolveProgram(config, env), args: config.args, cwd: folder.cwd, env };
  const confined = await deps.sandbox.confine(start, {
    of: "own",
    network: sandbox.network,
    shown: [
      ...folder.shown,
      ...(await showProgramFolder(start.file, env)),
      ...(await listShownPaths(sandbox)),
    ],
    kept: [],
    privateHome: serverId === null ? null : await makePrivateHome(deps.home, serverId),
    limits: sandbox,
  });
  if (!confined.ok) throw new Error(describeUnavailable(confined.error));
  const { file, args, cwd, isConfined, onGone, unmet } = confined.value;
  if (unmet !== undefined && sandbox.mode === "required") throw new Error(describeUnavailable(unmet));
  if (unmet !== undefined) deps.onUnconfined(unmet);
  return { command: file, args, cwd, env, isConfined, ...(onGone && { onGone }) };
}

/** Deletes the private home of a server. */
export async function removePrivateHome(home: string, serverId: string): Promise<void> {
  await rm(getPrivateHomePath(home, serverId), { recursive: true, force: true });
}

function describeUnavailable(reason: string): string {
  return `its sandbox is required but unavailable: ${reason}`;
}

/** The start folder is readable too, unless it is or contains the person's home, of which only named parts are shown. */
async function resolveStartFolder(
  { cwd }: ServerConfig,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly cwd: string; readonly shown: readonly ShownPath[] }> {
  const home = await findPersonsHome(env);
  if (cwd === null) return { cwd: home, shown: [] };
  const real = await realpath(cwd).catch(() => undefined);
  if (real === undefined) throw new Error(`its folder ${cwd} does not exist: make it, or give another`);
  return { cwd: real, shown: isInside(real, home) ? [] : [{ path: cwd, access: "read" }] };
}

async function resolveProgram(
  { command }: ServerConfig,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  if (command!.includes("/")) return command!;
  const program = await findProgram(command!, env.PATH);
  if (program !== undefined) return program;
  throw new Error(
    `the command ${JSON.stringify(command)} was not found on the daemon's PATH: install it, or give its full path`,
  );
}

/** A program given by its path often has further files beside it. */
async function showProgramFolder(file: string, env: Readonly<Record<string, string>>): Promise<ShownPath[]> {
  if (!isAbsolute(file)) return [];
  const folder = dirname(file);
  return [{ path: isInside(folder, await findPersonsHome(env)) ? file : folder, access: "read" }];
}

async function listShownPaths({ read, write }: SandboxConfig): Promise<ShownPath[]> {
  const shown = [
    ...read.map((path) => ({ path, access: "read" }) as const),
    ...write.map((path) => ({ path, access: "write" }) as const),
  ];
  for (const { path } of shown) {
    const exists = await realpath(path).then(
      () => true,
      () => false,
    );
    if (!exists) throw new Error(`its sandbox shows ${path}, which does not exist: make it, or leave it out`);
  }
  return shown;
}

async function makePrivateHome(home: string, serverId: string): Promise<string> {
  const path = getPrivateHomePath(home, serverId);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

function getPrivateHomePath(home: string, serverId: string): string {
  return join(home, "sandbox", serverId);
}

async function findPersonsHome(env: Readonly<Record<string, string>>): Promise<string> {
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  return await realpath(home).catch(() => home);
}
