import { chmod, mkdir, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import type { Caller, FolderGrant } from "../../contract/caller.ts";
import { checkName } from "../../contract/names.ts";
import { explainSystemError } from "../../contract/system-error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import { isInside } from "../../lib/files/inside.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { locate } from "./locate.ts";
import { leadsThroughSystemLink } from "./system-links.ts";

export type Access = FolderGrant["access"];

/** A path that the caller may use at the time of the lookup. Opening it checks again. */
export interface FilePlace {
  /** Absolute, without symbolic links. */
  readonly real: string;
  /** The name to show to the caller: relative inside the workspace, otherwise absolute. */
  readonly shown: string;
  readonly exists: boolean;
  /** The requested absolute path if it is another one, through a symbolic link. */
  readonly asked?: string;
}

/** The folders that one caller may use. */
export interface Workspace {
  /** The agent's own folder, without symbolic links; it exists. */
  readonly root: string;
  /** It and the granted folders, without symbolic links. */
  readonly folders: readonly FolderGrant[];
  /** Finds the location of a path if it is allowed. The error is for the model and reveals nothing outside. */
  find(path: string, access: Access): Promise<Result<FilePlace, string>>;
  /** Whether a path without symbolic links lies in an allowed folder. */
  permits(real: string, access: Access): boolean;
  /** Applies rules to a file that the call reaches. `start` is where the search began. */
  rulesOn(real: string, start?: FilePlace): PlaceRules;
  show(real: string): string;
}

export interface PlaceRules {
  /** Whether it may be shown. */
  permits(): boolean;
  /** Whether nothing below it may be, for certain. */
  deniesAllBelow(): boolean;
}

/** Paths longer than this are refused before the file system sees them; Linux takes no longer ones. */
const MAX_PATH = 4096;
const WORKSPACE_MODE = 0o700;
/** Its files show the memory and environment of running programs, this one's secrets included. */
const ALWAYS_REFUSED = "/proc";

/** The folder of an agent (the operator's is `operator`), whether or not it exists yet. */
export function workspacePath(home: string, caller: Pick<Caller, "agentName" | "operator">): string {
  return join(home, "workspaces", caller.operator ? "operator" : checkName("agent", caller.agentName));
}

/** Creates the caller's own folder where it does not exist yet. */
export async function openWorkspace(
  home: string,
  { caller, files }: Pick<ToolContext, "caller" | "files">,
): Promise<Workspace> {
  const root = await createRoot(home, caller);
  const realHome = await realpath(home);
  const granted = await existing(caller.folders);
  const roots = [
    { path: root, access: "write" as const },
    ...granted.map(({ path, access }) => ({ path, access })),
  ];
  const known = [{ path: root, named: workspacePath(resolve(home), caller) }, ...granted];
  /** Names a path by the folder as people wrote it, if that is reached through a symbolic link. */
  const namedAs = (absolute: string) => {
    const folder = known.find(({ path, named }) => path !== named && isInside(path, absolute));
    return folder ? folder.named + absolute.slice(folder.path.length) : absolute;
  };
  const rulesOn = (real: string, start?: FilePlace): PlaceRules => {
    const first = namedAs(real);
    const asked = start?.asked === undefined ? first : namedAs(start.asked + real.slice(start.real.length));
    const named = asked === first ? [first] : [first, asked];
    const also = first === real ? undefined : [real];
    return {
      permits: () => files?.permits(named, also) ?? true,
      deniesAllBelow: () => files?.deniesAllBelow(named, also) ?? false,
    };
  };

  const accessTo = (real: string): Access | undefined => {
    if (isInside(ALWAYS_REFUSED, real)) return undefined;
    if (isInside(realHome, real) && !isInside(root, real)) return undefined;
    return mostSpecific(roots.filter((folder) => isInside(folder.path, real)));
  };
  const permits = (real: string, access: Access) => {
    const granted = accessTo(real);
    return granted === "write" || granted === access;
  };
  const show = (real: string) => (isInside(root, real) ? relative(root, real) || "." : real);

  return {
    root,
    folders: roots,
    permits,
    rulesOn,
    show,
    async find(path, access) {
      const malformed = problemOf(path);
      if (malformed) return err(malformed);
      if (leadsThroughSystemLink(root, path)) return err(outside(path, roots));
      const absolute = resolve(root, path);
      const { real, problem } = await locate(absolute);
      if (accessTo(real) === undefined) return err(outside(path, roots));
      if (!permits(real, access)) return err(readOnly(path, roots));
      if (problem !== undefined && problem !== "ENOENT") return err(`${quoted(path)}: ${explain(problem)}`);
      // Rules have decided by the path as it was written; a link, or another case, may lead to another place.
      const isElsewhere = namedAs(real) !== namedAs(absolute);
      if (isElsewhere && !rulesOn(real).permits()) return err(ruledOut(path));
      const asked = isElsewhere ? { asked: absolute } : {};
      return ok({ real, shown: show(real), exists: problem === undefined, ...asked });
    },
  };
}

export function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}

async function createRoot(home: string, caller: Caller): Promise<string> {
  const path = workspacePath(home, caller);
  const created = await mkdir(path, { recursive: true, mode: WORKSPACE_MODE });
  // A umask may have widened nothing but can have narrowed it: the owner must be able to use the folder.
  if (created !== undefined) await chmod(path, WORKSPACE_MODE);
  const root = await realpath(path);
  const expected = workspacePath(await realpath(home), caller);
  if (root !== expected) {
    throw Object.assign(new Error(`${path} is a symbolic link`), { code: "ELOOP", syscall: "realpath" });
  }
  return root;
}

/** Granted folders without symbolic links; one that is missing grants nothing. */
async function existing(
  folders: readonly FolderGrant[],
): Promise<readonly (FolderGrant & { readonly named: string })[]> {
  const located = await Promise.all(
    folders
      .filter((folder) => isAbsolute(folder.path))
      .map(async ({ path, access }) => ({ access, named: resolve(path), ...(await locate(path)) })),
  );
  return located
    .filter((folder) => folder.problem === undefined)
    .map(({ real, access, named }) => ({ path: real, access, named }));
}

/** The innermost folder decides; granted twice, the wider grant counts. */
function mostSpecific(folders: readonly FolderGrant[]): Access | undefined {
  const depth = Math.max(...folders.map((folder) => folder.path.length));
  const innermost = folders.filter((folder) => folder.path.length === depth);
  return innermost.find((folder) => folder.access === "write")?.access ?? innermost[0]?.access;
}

function problemOf(path: string): string | undefined {
  if (path === "") return "The path is empty. Give a path relative to the workspace, or an absolute one.";
  if (path.includes("\0")) return "The path contains a NUL byte. Leave it out.";
  if (Buffer.byteLength(path) > MAX_PATH)
    return `The path is longer than ${MAX_PATH} bytes. Use a shorter one.`;
  if (path.includes("\\") && path.split(/[\\/]/).includes(".."))
    return "The path has .. beside a backslash, which readers of paths take for different places. Use / between folders.";
  return undefined;
}

function outside(path: string, roots: readonly FolderGrant[]): string {
  const home = path.startsWith("~") ? " (~ is not expanded)" : "";
  return `${quoted(path)} is outside the folders this agent may use${home}. Allowed: ${listed(roots)}.`;
}

function readOnly(path: string, roots: readonly FolderGrant[]): string {
  return `${quoted(path)} may be read but not written by this agent. Allowed: ${listed(roots)}.`;
}

function ruledOut(path: string): string {
  return `${quoted(path)} leads through a link to a place that a rule denies or asks about. Name that place itself.`;
}

function listed(roots: readonly FolderGrant[]): string {
  return roots
    .map(({ path, access }, index) => {
      const right = access === "write" ? "read and write" : "read only";
      return `${path} (${index === 0 ? "workspace, " : ""}${right})`;
    })
    .join(", ");
}

function explain(code: string): string {
  return explainSystemError(Object.assign(new Error(code), { code, syscall: "realpath" })) ?? code;
}
