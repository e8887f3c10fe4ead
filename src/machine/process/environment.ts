/**
 * Creates the environment of a child process: the daemon's own without its settings and without any value that
 * `concealed` knows as a secret, plus `extra`, which always wins.
 */
export function childEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>> = {},
  concealed: (value: string) => boolean = () => false,
): Record<string, string> {
  const inherited = Object.entries(base).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !isOwn(entry[0]) && !concealed(entry[1]),
  );
  return { ...Object.fromEntries(inherited), ...extra };
}

function isOwn(key: string): boolean {
  return key.startsWith("TOOLKEEP_") || key === "DATABASE_URL";
}
