import { mkdir, mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Vault } from "../../call/vault/vault.ts";
import type { Caller } from "../../contract/caller.ts";
import type { ToolContext, ToolResult } from "../../contract/tool.ts";
import { withHeartbeat } from "../../lib/flow/heartbeat.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { confinedCommand } from "../../machine/process/confined-command.ts";
import type { Processes } from "../../machine/process/processes.ts";
import { type CommandResult, runCommand } from "../../machine/process/run-command.ts";
import type { Sandbox, SandboxMode } from "../../machine/process/sandbox.ts";
import { NO_LIMITS } from "../../machine/process/sandbox-limits.ts";
import type { FoundTool } from "./found-tool.ts";
import type { Launch } from "./launch.ts";
import type { Manifest } from "./manifest.ts";
import { readFolder, unpack } from "./script-folder.ts";

export interface ScriptDeps {
  readonly home: string;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly sandboxMode: () => SandboxMode;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** The folder that a caller's scripts run in; made where it is not there yet. */
  readonly workspaceOf: (caller: Caller) => Promise<string>;
  readonly secrets: Pick<Vault, "has" | "read">;
  /** Variables with such a value are passed on only where a manifest names them. */
  readonly isSecret: (value: string) => boolean;
  readonly redact: (text: string) => string;
}

/** A script ready to run: `sha256` is what it may be and nothing else. */
export interface Script {
  readonly name: string;
  readonly folder: string;
  readonly sha256: string;
  readonly manifest: Manifest;
  readonly launch: Launch;
}

export type Ran =
  | { readonly kind: "ran"; readonly result: CommandResult }
  | { readonly kind: "refused"; readonly result: ToolResult };

/** What a program needs to run at all, and to speak the language of its user. */
const BASE_VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LANGUAGE",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "TMPDIR",
] as const;
/** Longer than any call takes: what is older was left by a process that was killed. */
const LEFT_BEHIND_MS = 15 * 60_000;

/**
 * Runs a script from a copy of its own, made of the very bytes whose hash was checked: whatever happens to the folder
 * meanwhile, nothing else runs. The copy is gone afterwards, with whatever the script wrote beside itself.
 */
export async function runScript(
  script: Script,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  deps: ScriptDeps,
): Promise<Ran> {
  const { name, manifest, launch } = script;
  const read = await readFolder(script.folder);
  if (!read.ok) return refused(`${name} cannot be used: ${read.error}. Tell a person.`);
  if (read.value.sha256 !== script.sha256)
    return refused(
      `${name} has changed since it was enabled and did not run. A person who has read it enables it again: toolkeep tool enable ${name}`,
    );
  const secrets = await secretsOf(manifest, deps);
  if (!secrets.ok) return refused(`${name} did not run: ${secrets.error}. Tell a person.`);
  const env = environmentOf(manifest, secrets.value, deps);
  const unusable = Object.keys(env).find((key) => env[key]!.includes("\0"));
  if (unusable !== undefined)
    return refused(
      `${name} did not run: ${unusable} holds a NUL byte, which no variable can. Tell a person.`,
    );
  const place = await copyPlace(deps.home);
  try {
    await unpack(read.value, place);
    const cwd = await deps.workspaceOf(context.caller);
    const entry = join(place, manifest.entry);
    const start = {
      file: launch.program ?? entry,
      args: launch.program === undefined ? [] : [...launch.args, entry],
      cwd,
      env: { ...env, PWD: cwd },
    };
    // A person has read and enabled it, so it sees the machine as that person does; but not what Toolkeep keeps.
    const started = await confinedCommand(deps.sandbox, deps.sandboxMode(), start, {
      of: "machine",
      network: true,
      shown: [],
      kept: [cwd, place],
      privateHome: null,
      limits: NO_LIMITS,
    });
    if (!started.ok)
      return refused(
        `${name} only runs confined here (shell.sandbox), and that cannot be had: ${started.error}. Tell a person.`,
      );
    const running = runCommand(
      deps.processes,
      {
        cwd,
        ...started.value,
        env: start.env,
        input: JSON.stringify(args),
        maxOutputBytes: manifest.maxOutputBytes,
        redact: deps.redact,
      },
      context.signal,
    );
    const result = await withHeartbeat(context, () => "the script is running", running);
    // Only the end of it is shown, which may begin in the middle of a secret.
    return { kind: "ran", result: { ...result, errors: deps.redact(result.errors) } };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** The `PATH` that a script will have. */
export function scriptPath(manifest: Pick<Manifest, "env">, baseEnv: NodeJS.ProcessEnv): string | undefined {
  return manifest.env.PATH ?? baseEnv.PATH;
}

/** Removes copies that a killed process left. Never rejects: they only take room. */
export async function removeLeftCopies(home: string, now: number): Promise<void> {
  const folder = copiesIn(home);
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && now - found.mtimeMs > LEFT_BEHIND_MS)
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** What a script sees: a few harmless variables, what its manifest names, and the secrets it was given. */
function environmentOf(
  manifest: Manifest,
  secrets: Readonly<Record<string, string>>,
  { baseEnv, isSecret }: ScriptDeps,
): Record<string, string> {
  const inherited = BASE_VARIABLES.filter((name) => !isSecret(baseEnv[name] ?? ""));
  const passed = [...inherited, ...manifest.passEnv].map((name) => [name, baseEnv[name]] as const);
  const given = [...passed, ...Object.entries(manifest.env), ...Object.entries(secrets)];
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function secretsOf(
  manifest: Manifest,
  { secrets }: ScriptDeps,
): Promise<Result<Readonly<Record<string, string>>, string>> {
  const values: Record<string, string> = {};
  for (const name of manifest.secrets.filter((each) => secrets.has(each))) {
    const value = await secrets.read(name);
    if (!value.ok) return err(`the secret ${name} cannot be read: ${value.error}`);
    values[name] = value.value;
  }
  return ok(values);
}

async function copyPlace(home: string): Promise<string> {
  await mkdir(copiesIn(home), { recursive: true, mode: 0o700 });
  return realpath(await mkdtemp(join(copiesIn(home), "call-")));
}

function copiesIn(home: string): string {
  return join(home, "run", "custom");
}

function refused(message: string): Ran {
  return { kind: "refused", result: { kind: "unavailable", message } };
}

/** The script as it may run; undefined while anything stands in the way. */
export function scriptOf(name: string, found: FoundTool | undefined): Script | undefined {
  if (!found?.read.ok || found.sha256 === null || !found.read.value.launch.ok) return undefined;
  const { manifest, launch } = found.read.value;
  return { name, folder: found.folder, sha256: found.sha256, manifest, launch: launch.value };
}
