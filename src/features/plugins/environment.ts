import type { PluginPermissions } from "./permissions.ts";

/** Harmless, and what a program needs to speak the language of its user. */
const ALWAYS = ["LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ"] as const;
/** What other programs need to be found and to work. */
const FOR_PROGRAMS = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR"] as const;

/** What the process of a plugin sees: a few variables, and those that it declared. Secrets come with each call. */
export function pluginEnvironment(
  { env, childProcesses }: PluginPermissions,
  base: NodeJS.ProcessEnv,
  isSecret: (value: string) => boolean,
): Record<string, string> {
  const inherited = [...ALWAYS, ...(childProcesses ? FOR_PROGRAMS : [])].filter(
    (name) => !isSecret(base[name] ?? ""),
  );
  const given = [...inherited, ...env].map((name) => [name, base[name]] as const);
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
