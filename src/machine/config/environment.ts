/** Settings from variables of the environment, which win over every file. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Problem, variableProblem } from "./problem.ts";
import { SETTINGS, type SettingTable, type Values } from "./schema.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the home: `TOOLKEEP_HOME`, else `~/.toolkeep`. */
export function homeOf(env: Environment, cwd: string): string {
  const given = env.TOOLKEEP_HOME?.trim();
  if (!given) return join(homedir(), ".toolkeep");
  // a shell expands ~, a service file does not
  if (given === "~" || given.startsWith("~/")) return join(homedir(), given.slice(1));
  return resolve(cwd, given);
}

/** An empty variable counts as not set. */
export function readEnvironment(
  env: Environment,
  table: SettingTable = SETTINGS,
): { values: Partial<Values>; problems: Problem[] } {
  const values: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const [key, { env: variable, schema }] of variables(table)) {
    const written = env[variable]?.trim();
    if (!written) continue;
    const results = readings(written).map((reading) => schema.safeParse(reading));
    const fitting = results.find((result) => result.success);
    if (fitting) values[key] = fitting.data;
    else problems.push(variableProblem(variable, results[0]!.error!.issues[0]!.message, written));
  }
  return { values: values as Partial<Values>, problems };
}

function variables(table: SettingTable) {
  return Object.entries(table).flatMap(([key, setting]) =>
    setting.env === undefined ? [] : [[key, { ...setting, env: setting.env }] as const],
  );
}

/** Returns the values that a string may stand for. The setting's schema decides which one applies. */
function readings(written: string): (string | number | boolean)[] {
  const readings: (string | number | boolean)[] = [written];
  if (/^-?\d+(\.\d+)?$/.test(written)) readings.push(Number(written));
  if (/^(true|1|yes|on)$/i.test(written)) readings.push(true);
  if (/^(false|0|no|off)$/i.test(written)) readings.push(false);
  return readings;
}
