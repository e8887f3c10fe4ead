/** Settings from files and environment: project over user over defaults, environment on top of all. */

import type { FeatureSettings } from "../../contract/define-setting.ts";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import { type Environment, homeOf, readEnvironment } from "./environment.ts";
import { type Layer, readLayer } from "./layer.ts";
import { mergeSettings, mergeValues, type Origin, originsOf } from "./merge.ts";
import { configInvalid, fileProblem, type Problem } from "./problem.ts";
import { SETTINGS, type SettingTable } from "./schema.ts";
import type { Settings } from "./settings.ts";
import { givenFile, projectFile, type SettingsFile, userFile } from "./settings-file.ts";
import { tighten } from "./tighten.ts";

export interface LoadOptions {
  /** Default: `TOOLKEEP_HOME`, else `~/.toolkeep`. */
  readonly home?: string;
  /** Replaces the home's settings file, with the same keys: for programs that embed the hub. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** Settings of features, besides those of Toolkeep itself. */
  readonly declared?: FeatureSettings;
  /** The folder whose `toolkeep.{json,toml}` is the project file. */
  readonly cwd: string;
  readonly env: Environment;
  /** Whether a person has trusted the file with exactly this content. */
  readonly isTrusted: (path: string, sha256: string) => boolean | Promise<boolean>;
}

export interface FoundFile {
  readonly path: string;
  readonly scope: "user" | "project";
  readonly used: boolean;
  /** Why it is not used. */
  readonly reason?: string;
}

export interface LoadedSettings {
  /** Every setting there is. */
  readonly table: SettingTable;
  /** Frozen, all of it. */
  readonly settings: Settings;
  readonly files: readonly FoundFile[];
  readonly warnings: readonly Problem[];
  /** By key in the files; servers as `mcp.<name>`. */
  readonly origins: Readonly<Record<string, Origin>>;
}

/**
 * Throws CONFIG_INVALID with every problem of every file and variable that counts, CONFIG_UNREADABLE when a file
 * cannot be read. A project file that is not trusted does not count, whatever is in it.
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const home = options.home ?? homeOf(options.env, options.cwd);
  const user = options.given ? givenFile(options.given) : await userFile(home);
  const project = await projectFile(options.cwd);
  const isTrusted = project !== undefined && (await options.isTrusted(project.path, project.sha256));

  const table = { ...SETTINGS, ...options.declared };
  const loaded = layersOf(user, isTrusted ? project : undefined, options.env, table);
  if (loaded.problems.length > 0) throw configInvalid(loaded.problems);
  return {
    table,
    settings: mergeSettings(home, loaded.layers, table),
    files: [...usedFile(user, "user"), ...(isTrusted ? usedFile(project, "project") : unusedFile(project))],
    warnings: project && !isTrusted ? [...loaded.warnings, untrustedWarning(project)] : loaded.warnings,
    origins: originsOf(loaded.layers, table),
  };
}

/**
 * Lists every problem and warning, for `toolkeep config check`. Never throws for the contents of files and environment.
 * Checks a project file even before it is trusted.
 */
export async function checkFiles(
  options: LoadOptions,
): Promise<{ problems: Problem[]; warnings: Problem[] }> {
  const home = options.home ?? homeOf(options.env, options.cwd);
  const user = await attempt(() => userFile(home));
  const project = await attempt(() => projectFile(options.cwd));
  const { file } = project;
  const { problems, warnings } = layersOf(user.file, file, options.env, { ...SETTINGS, ...options.declared });
  if (file && !(await options.isTrusted(file.path, file.sha256))) warnings.push(untrustedWarning(file));
  return { problems: [...user.problems, ...project.problems, ...problems], warnings };
}

function layersOf(
  userFile: SettingsFile | undefined,
  projectFile: SettingsFile | undefined,
  environment: Environment,
  table: SettingTable,
) {
  const user = userFile && readLayer(userFile, "user", table);
  const untightened = projectFile && readLayer(projectFile, "project", table);
  const project = untightened && tighten(untightened, mergeValues({ user }, table), table);
  const env = readEnvironment(environment, table);
  const reports = [user, project]
    .filter((layer): layer is Layer => layer !== undefined)
    .map(({ report }) => report);
  return {
    layers: { user, project, env: env.values },
    problems: [...reports.flatMap((report) => report.problems), ...env.problems],
    warnings: reports.flatMap((report) => report.warnings),
  };
}

async function attempt(
  read: () => Promise<SettingsFile | undefined>,
): Promise<{ file: SettingsFile | undefined; problems: readonly Problem[] }> {
  try {
    return { file: await read(), problems: [] };
  } catch (error) {
    if (!(error instanceof ToolkeepError)) throw error;
    const problems = error.details?.problems as Problem[] | undefined;
    return { file: undefined, problems: problems ?? [unreadableProblem(error)] };
  }
}

function unreadableProblem(error: ToolkeepError): Problem {
  return { ...fileProblem(String(error.details?.path), { sentence: "" }), message: messageOf(error) };
}

function usedFile(file: SettingsFile | undefined, scope: FoundFile["scope"]): FoundFile[] {
  return file ? [{ path: file.path, scope, used: true }] : [];
}

function unusedFile(file: SettingsFile | undefined): FoundFile[] {
  return file ? [{ path: file.path, scope: "project", used: false, reason: NOT_TRUSTED }] : [];
}

const NOT_TRUSTED = "not trusted with this content";

function untrustedWarning(file: SettingsFile): Problem {
  const sentence = `not used, because it is ${NOT_TRUSTED}: read it, then run toolkeep trust in its folder`;
  return fileProblem(file.path, { sentence });
}
