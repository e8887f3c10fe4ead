import { mkdir, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../lib/files/inside.ts";
import type { SandboxConfig, ServerConfig } from "../../machine/config/settings.ts";
import { findProgram } from "../../machine/process/find-program.ts";
import type { Sandbox } from "../../machine/process/sandbox.ts";
import type { ShownPath } from "../../machine/process/sandbox-mounts.ts";
import type { StdioCommand } from "./stdio-transport.ts";

export interface ConfinedDeps {
  readonly sandbox: Sandbox;
  /** `TOOLKEEP_HOME`. */
  readonly home: string;
  /** Told what of a sandbox that is not required could not be had. */
  readonly onUnconfined: (reason: string) => void;
}

/**
 * How a local server is started. Throws, for people, what keeps a server with a sandbox from starting: that it is
 * required and cannot be had, or that something it names is not there.
 */
export async function serverCommand(
  config: ServerConfig,
  serverId: string | null,
  env: Readonly<Record<string, string>>,
  deps: ConfinedDeps,
): Promise<StdioCommand> {
  const plain: StdioCommand = { command: config.command!, args: config.args, cwd: config.cwd, env };
  const { sandbox } = config;
  if (sandbox === null || sandbox.mode === "off") return plain;

  const works = await deps.sandbox.check();
  if (!works.ok && sandbox.mode === "required") throw new Error(required(works.error));
  if (!works.ok) {
    deps.onUnconfined(works.error);
    return plain;
  }
  const folder = await startFolder(config, env);
  const start = { file: await programOf(config, env), args: config.args, cwd: folder.cwd, env };
  const confined = await deps.sandbox.confine(start, {
    of: "own",
    network: sandbox.network,
    shown: [...folder.shown, ...(await besideProgram(start.file, env)), ...(await shownBy(sandbox))],
    kept: [],
    privateHome: serverId === null ? null : await privateHome(deps.home, serverId),
    limits: sandbox,
  });
  if (!confined.ok) throw new Error(required(confined.error));
  const { file, args, cwd, isConfined, onGone, unmet } = confined.value;
  if (unmet !== undefined && sandbox.mode === "required") throw new Error(required(unmet));
  if (unmet !== undefined) deps.onUnconfined(unmet);
  return { command: file, args, cwd, env, isConfined, ...(onGone && { onGone }) };
}

/** Removes what a server kept in its own home. */
export async function removePrivateHome(home: string, serverId: string): Promise<void> {
  await rm(privateHomePath(home, serverId), { recursive: true, force: true });
}

function required(reason: string): string {
  return `its sandbox is required and cannot be had: ${reason}`;
}

/** The folder it starts in is read as well, unless it is the person's home or above it: that shows only what is named. */
async function startFolder(
  { cwd }: ServerConfig,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly cwd: string; readonly shown: readonly ShownPath[] }> {
  const home = await personsHome(env);
  if (cwd === null) return { cwd: home, shown: [] };
  const real = await realpath(cwd).catch(() => undefined);
  if (real === undefined) throw new Error(`its folder ${cwd} does not exist: make it, or give another`);
  return { cwd: real, shown: isInside(real, home) ? [] : [{ path: cwd, access: "read" }] };
}

async function programOf({ command }: ServerConfig, env: Readonly<Record<string, string>>): Promise<string> {
  if (command!.includes("/")) return command!;
  const found = await findProgram(command!, env.PATH);
  if (found !== undefined) return found;
  throw new Error(
    `the command ${JSON.stringify(command)} was not found on the daemon's PATH: install it, or give its full path`,
  );
}

/** A program given by its path often has its own parts beside it. */
async function besideProgram(file: string, env: Readonly<Record<string, string>>): Promise<ShownPath[]> {
  if (!isAbsolute(file)) return [];
  const folder = dirname(file);
  return [{ path: isInside(folder, await personsHome(env)) ? file : folder, access: "read" }];
}

async function shownBy({ read, write }: SandboxConfig): Promise<ShownPath[]> {
  const shown = [
    ...read.map((path) => ({ path, access: "read" }) as const),
    ...write.map((path) => ({ path, access: "write" }) as const),
  ];
  for (const { path } of shown) {
    const isThere = await realpath(path).then(
      () => true,
      () => false,
    );
    if (!isThere)
      throw new Error(`its sandbox shows ${path}, which does not exist: make it, or leave it out`);
  }
  return shown;
}

async function privateHome(home: string, serverId: string): Promise<string> {
  const path = privateHomePath(home, serverId);
  await mkdir(path, { recursive: true, mode: 0o700 });
  return path;
}

function privateHomePath(home: string, serverId: string): string {
  return join(home, "sandbox", serverId);
}

async function personsHome(env: Readonly<Record<string, string>>): Promise<string> {
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  return await realpath(home).catch(() => home);
}
