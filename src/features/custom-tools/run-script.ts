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
import type { Launch } from "./launch.ts";
import type { Manifest } from "./manifest.ts";
import type { ScannedTool } from "./scanned-tool.ts";
import { readFolder, writeFiles } from "./script-folder.ts";

export interface ScriptDeps {
  readonly home: string;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly sandboxMode: () => SandboxMode;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** The folder that a caller's scripts run in; created if it does not exist. */
  readonly workspaceOf: (caller: Caller) => Promise<string>;
  readonly secrets: Pick<Vault, "has" | "read">;
  /** Variables with such a value are passed on only if the manifest names them. */
  readonly isSecret: (value: string) => boolean;
  readonly redact: (text: string) => string;
}

/** A script ready to run. Only content with this `sha256` may run. */
export interface Script {
  readonly name: string;
  readonly folder: string;
  readonly sha256: string;
  readonly manifest: Manifest;
  readonly launch: Launch;
}

export type ScriptRun =
  | { readonly kind: "ran"; readonly result: CommandResult }
  | { readonly kind: "refused"; readonly result: ToolResult };

/** Variables that a program needs to run and to use the user's language. */
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
/** Longer than any call. An older copy was left behind by a killed process. */
const STALE_COPY_MS = 15 * 60_000;

/**
 * Runs a script from a private copy made of exactly the bytes whose hash was checked, so that nothing else can run
 * whatever happens to the folder meanwhile. The copy is deleted afterwards, with everything the script wrote next to it.
 */
export async function runScript(
  script: Script,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
  deps: ScriptDeps,
): Promise<ScriptRun> {
  const { name, manifest, launch } = script;
  const read = await readFolder(script.folder);
  if (!read.ok) return refuseRun(`${name} cannot be used: ${read.error}. Tell a person.`);
  if (read.value.sha256 !== script.sha256)
    return refuseRun(
      `${name} has changed since it was enabled and did not run. A person has to review and enable it again: toolkeep tool enable ${name}`,
    );
  const secrets = await readSecrets(manifest, deps);
  if (!secrets.ok) return refuseRun(`${name} did not run: ${secrets.error}. Tell a person.`);
  const env = buildEnvironment(manifest, secrets.value, deps);
  const badVariable = Object.keys(env).find((key) => env[key]!.includes("\0"));
  if (badVariable !== undefined)
    return refuseRun(
      `${name} did not run: ${badVariable} contains a NUL byte, which is not allowed in a variable. Tell a person.`,
    );
  const copyFolder = await createCopyFolder(deps.home);
  try {
    await writeFiles(read.value, copyFolder);
    const cwd = await deps.workspaceOf(context.caller);
    const entry = join(copyFolder, manifest.entry);
    const start = {
      file: launch.program ?? entry,
      args: launch.program === undefined ? [] : [...launch.args, entry],
      cwd,
      env: { ...env, PWD: cwd },
    };
    // A person reviewed and enabled the script, so it sees the machine as that person does, except for Toolkeep's own data.
    const started = await confinedCommand(deps.sandbox, deps.sandboxMode(), start, {
      of: "machine",
      network: true,
      shown: [],
      kept: [cwd, copyFolder],
      privateHome: null,
      limits: NO_LIMITS,
    });
    if (!started.ok)
      return refuseRun(
        `${name} only runs in a sandbox here (shell.sandbox), which is not available: ${started.error}. Tell a person.`,
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
    // Redact before only the end is shown, because the cut could split a secret.
    return { kind: "ran", result: { ...result, errors: deps.redact(result.errors) } };
  } finally {
    await rm(copyFolder, { recursive: true, force: true });
  }
}

/** The `PATH` of a script. */
export function getScriptPath(
  manifest: Pick<Manifest, "env">,
  baseEnv: NodeJS.ProcessEnv,
): string | undefined {
  return manifest.env.PATH ?? baseEnv.PATH;
}

/** Removes copies left behind by killed processes. Never rejects, since they only take up space. */
export async function removeStaleCopies(home: string, now: number): Promise<void> {
  const folder = getCopiesFolder(home);
  for (const name of await readdir(folder).catch(() => [])) {
    const stats = await stat(join(folder, name)).catch(() => undefined);
    if (stats && now - stats.mtimeMs > STALE_COPY_MS)
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The variables of a script: a few harmless ones, those its manifest names, and its secrets. */
function buildEnvironment(
  manifest: Manifest,
  secrets: Readonly<Record<string, string>>,
  { baseEnv, isSecret }: ScriptDeps,
): Record<string, string> {
  const inherited = BASE_VARIABLES.filter((name) => !isSecret(baseEnv[name] ?? ""));
  const passed = [...inherited, ...manifest.passEnv].map((name) => [name, baseEnv[name]] as const);
  const variables = [...passed, ...Object.entries(manifest.env), ...Object.entries(secrets)];
  return Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function readSecrets(
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

async function createCopyFolder(home: string): Promise<string> {
  await mkdir(getCopiesFolder(home), { recursive: true, mode: 0o700 });
  return realpath(await mkdtemp(join(getCopiesFolder(home), "call-")));
}

function getCopiesFolder(home: string): string {
  return join(home, "run", "custom");
}

function refuseRun(message: string): ScriptRun {
  return { kind: "refused", result: { kind: "unavailable", message } };
}

/** The script to run; undefined if it cannot run. */
export function toScript(name: string, found: ScannedTool | undefined): Script | undefined {
  if (!found?.read.ok || found.sha256 === null || !found.read.value.launch.ok) return undefined;
  const { manifest, launch } = found.read.value;
  return { name, folder: found.folder, sha256: found.sha256, manifest, launch: launch.value };
}
