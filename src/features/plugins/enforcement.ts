import type { PluginPermissions } from "./contract.ts";

/** The limits that this version of Node can enforce on plugins. */
export interface Enforcement {
  /** The flag of its permission model; undefined if it has none. */
  readonly flag: "--permission" | "--experimental-permission" | undefined;
  /** Whether it can block network access. */
  readonly network: boolean;
}

/** `flags` are the flags of this Node: `process.allowedNodeEnvironmentFlags`. */
export function detectEnforcement(flags: ReadonlySet<string>): Enforcement {
  const flag = (["--permission", "--experimental-permission"] as const).find((known) => flags.has(known));
  return { flag, network: flag !== undefined && flags.has("--allow-net") };
}

export interface PluginReach {
  readonly permissions: PluginPermissions;
  /** The plugin's own files, which it can always read. */
  readonly folder: string;
  /** The workspace it may use within its permissions; null if none. */
  readonly workspace: string | null;
}

/** The arguments that make Node enforce the declared permissions. */
export function buildNodeFlags(
  { permissions, folder, workspace }: PluginReach,
  { flag, network }: Enforcement,
): string[] {
  if (flag === undefined) return [];
  const { files, childProcesses } = permissions;
  const readable = workspace === null || files === "none" ? [folder] : [folder, workspace];
  const writable = workspace === null || files !== "write" ? [] : [workspace];
  return [
    flag,
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...writable.map((path) => `--allow-fs-write=${path}`),
    ...(childProcesses ? ["--allow-child-process"] : []),
    ...(network && permissions.network !== false ? ["--allow-net"] : []),
  ];
}

/** Lists declared limits that are not enforced, which a person has to know before agreeing. */
export function listUnenforced(
  permissions: PluginPermissions,
  { flag, network }: Enforcement,
): readonly string[] {
  const notes: string[] = [];
  if (flag === undefined)
    notes.push("this Node has no permission model: the plugin can do everything your user can");
  if (flag !== undefined && !network && permissions.network !== true)
    notes.push("the network: this Node cannot block it (Node 25 and later can)");
  if (network && Array.isArray(permissions.network))
    notes.push("the list of hosts: Node allows all hosts or none");
  if (flag !== undefined && permissions.childProcesses)
    notes.push("files and network: the programs it starts are not confined");
  return notes;
}

/** Node treats `*` in a path as a wildcard, which would allow more than intended. */
export function containsWildcard(path: string): boolean {
  return path.includes("*");
}
