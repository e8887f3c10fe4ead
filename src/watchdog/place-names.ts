/** Paths in the one form in which rules compare them. */
import { posix } from "node:path";
import { CommandLines } from "./shell-words.ts";

/** Where the paths of a call start from. */
export interface Ground {
  /** The folder of the agent that calls. */
  readonly workspace: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** The folder that Toolkeep runs in, and the servers that it starts; absent: not known. */
  readonly startedIn?: string;
}

/** One place that a path may lead to. */
export interface KnownPath {
  /** Its folders from the root on, without `..`, `.`, `~` and trailing slashes. */
  readonly absolute: readonly string[];
  /** The same seen from the workspace, where it lies in it. */
  readonly inside?: readonly string[];
}

export interface PathReadings {
  readonly all: readonly KnownPath[];
  /** Where it really leads depends on who reads it. */
  readonly unsure: boolean;
}

/** Where the paths of one call lead; each is looked at once, however many globs it is compared with. */
export class Paths {
  /** The same for its commands. */
  readonly commands = new CommandLines();
  readonly #ground: () => Ground;
  readonly #known = new Map<string, PathReadings | undefined>();
  readonly #isElsewhere: boolean;
  #standing: Ground | undefined;

  /** `isElsewhere`: who reads them does not start from the workspace, and nobody knows where from. */
  constructor(ground: () => Ground, isElsewhere = false) {
    this.#ground = ground;
    this.#isElsewhere = isElsewhere;
  }

  /** Undefined: nothing that a rule could be sure about. */
  of(value: string): PathReadings | undefined {
    const known = this.#known.get(value);
    if (known || this.#known.has(value)) return known;
    this.#standing ??= this.#ground();
    const found = pathOf(value, this.#standing, this.#isElsewhere);
    this.#known.set(value, found);
    return found;
  }
}

const MAX_PATH = 4_096;
/** Relative, and nothing in it means another folder than it says. */
const PLAIN = /^[\w-][\w .-]*(?:\/[\w-][\w .-]*)*$/;
const FILE = /^file:/i;
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
const DRIVE = /^[A-Za-z]:[\\/]/;

function pathOf(value: string, ground: Ground, isElsewhere: boolean): PathReadings | undefined {
  if (value.length > MAX_PATH || value.includes("\0")) return undefined;
  const { workspace, userHome, startedIn = userHome } = ground;
  // Most paths are written as they are meant.
  if (PLAIN.test(value) && !value.endsWith(" ")) {
    const inside = value.split("/");
    const own = { absolute: [...workspace.split("/"), ...inside], inside };
    if (!isElsewhere) return { all: [own], unsure: false };
    const from = (start: string) => ({ absolute: [...start.split("/"), ...inside] });
    // A folder within the workspace would be seen from there, too.
    if (![userHome, startedIn].some((start) => start.endsWith("/") || start.startsWith(workspace)))
      return {
        all: [own, from(userHome), ...(startedIn === userHome ? [] : [from(startedIn)])],
        unsure: true,
      };
  }
  const text = value.trim();
  const isFile = FILE.test(text);
  const local = isFile ? fileOf(text) : value;
  if (local === undefined) return undefined;
  const written = [...new Set([local, local.trim(), ...(isFile ? [] : decoded(local))])];
  const isRelative = !/^[\\/~]/.test(local) && !DRIVE.test(local);
  const starts = isElsewhere && isRelative ? [workspace, userHome, startedIn] : [workspace];
  return {
    all: starts.flatMap((start) => written.map((each) => placeOf(each, start, ground))),
    unsure:
      local !== local.trim() ||
      (local.includes("\\") && !DRIVE.test(local)) ||
      /^~[^/]/.test(local) ||
      (!isFile && SCHEME.test(local)) ||
      (isRelative && isElsewhere),
  };
}

function placeOf(local: string, start: string, { workspace, userHome }: Ground): KnownPath {
  const slashed = local.includes("\\") ? local.replaceAll("\\", "/") : local;
  const whole = /^~(\/|$)/.test(slashed) ? userHome + slashed.slice(1) : slashed;
  const absolute = DRIVE.test(local) ? ended(posix.normalize(slashed)) : posix.resolve(start, whole);
  const inside = absolute === workspace ? "." : within(workspace, absolute);
  return {
    absolute: absolute.split("/"),
    ...(inside === undefined ? {} : { inside: inside.split("/") }),
  };
}

/** As who takes it for a part of an address reads it. */
function decoded(path: string): readonly string[] {
  if (!path.includes("%")) return [];
  try {
    return [decodeURIComponent(path)];
  } catch {
    return [];
  }
}

/** The path of a `file:` address; undefined where it is another machine's. */
function fileOf(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { hostname, pathname } = new URL(value);
  if (hostname !== "" && hostname !== "localhost") return undefined;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

function within(folder: string, path: string): string | undefined {
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

function ended(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
