import type { PluginPermissions } from "./permissions.ts";

/** What the Node that runs plugins can hold them to. */
export interface Enforcement {
  /** The flag that turns its permission model on; undefined: it has none. */
  readonly flag: "--permission" | "--experimental-permission" | undefined;
  /** Whether it can keep a process off the network. */
  readonly network: boolean;
}

/** `flags` are those that this Node knows: `process.allowedNodeEnvironmentFlags`. */
export function enforcementOf(flags: ReadonlySet<string>): Enforcement {
  const flag = (["--permission", "--experimental-permission"] as const).find((known) => flags.has(known));
  return { flag, network: flag !== undefined && flags.has("--allow-net") };
}

export interface Reach {
  readonly permissions: PluginPermissions;
  /** The plugin's own files, which it may always read. */
  readonly folder: string;
  /** The workspace it may use, as far as its permissions go; null: none. */
  readonly workspace: string | null;
}

/** The arguments that make Node hold a process to what was declared. */
export function heldTo({ permissions, folder, workspace }: Reach, { flag, network }: Enforcement): string[] {
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

/** What a person must know before they agree: what was declared but nobody sees to. */
export function notHeld(permissions: PluginPermissions, { flag, network }: Enforcement): readonly string[] {
  const notes: string[] = [];
  if (flag === undefined)
    notes.push("this Node has no permission model: the plugin can do whatever your user may");
  if (flag !== undefined && !network && permissions.network !== true)
    notes.push("the network: this Node cannot keep a plugin off it (Node 25 and later can)");
  if (network && Array.isArray(permissions.network))
    notes.push("the list of hosts: Node lets a plugin reach all of them or none");
  if (flag !== undefined && permissions.childProcesses)
    notes.push("files and network, because the programs it starts are not held to anything");
  return notes;
}

/** Node takes everything behind a `*` in such a path for a wildcard, which would open more than was meant. */
export function cannotBeNamed(path: string): boolean {
  return path.includes("*");
}
