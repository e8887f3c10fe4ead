/** Paths in the one form in which rules compare them. */
import { posix } from "node:path";
import { lengthBit } from "../lib/literal-table.ts";
import { Remembered } from "../lib/remembered.ts";
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
  /** From the root on, without `..`, `.`, `~` and trailing slashes. */
  readonly absolute: PathText;
  /** The same seen from the workspace, where it lies in it. */
  readonly inside?: PathText;
}

export interface PathText {
  readonly text: string;
  /** What it was put together of. */
  readonly pieces: readonly [PathPiece, PathPiece?];
}

/** Some folders, and maybe a file. They are taken apart only where somebody has to look at each. */
export class PathPiece {
  readonly text: string;
  /** As `lengthBit` has it. */
  readonly lengths: number;
  #parts: readonly string[] | undefined;

  constructor(text: string) {
    this.text = text;
    let lengths = 0;
    let from = 0;
    for (let to = text.indexOf("/"); to >= 0; to = text.indexOf("/", from)) {
      lengths |= lengthBit(to - from);
      from = to + 1;
    }
    this.lengths = lengths | lengthBit(text.length - from);
  }

  get parts(): readonly string[] {
    this.#parts ??= this.text.split("/");
    return this.#parts;
  }
}

export interface PathReadings {
  readonly all: readonly KnownPath[];
  /** Where it really leads depends on who reads it. */
  readonly unsure: boolean;
}

/** Where the paths of one call lead; each is looked at once, however many globs it is compared with. */
export class Paths {
  readonly #known: Remembered<PathReadings | undefined>;
  #commands: CommandLines | undefined;

  /** `isElsewhere`: who reads them does not start from the workspace, and nobody knows where from. */
  constructor(ground: () => Ground, isElsewhere = false) {
    let standing: Ground | undefined;
    this.#known = new Remembered((value) => {
      standing ??= normalGround(ground());
      return pathOf(value, standing, isElsewhere);
    });
  }

  /** Undefined: nothing that a rule could be sure about. */
  of(value: string): PathReadings | undefined {
    return this.#known.of(value);
  }

  /** The same for its commands. */
  get commands(): CommandLines {
    this.#commands ??= new CommandLines();
    return this.#commands;
  }
}

const MAX_PATH = 4_096;
const MAX_STARTS = 200;
const STARTS = new Map<string, PathPiece>();
/** Relative, and nothing in it means another folder than it says. */
const PLAIN = /^[\w-][\w .-]*(?:\/[\w-][\w .-]*)*$/;
const FILE = /^file:/i;
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
const DRIVE = /^[A-Za-z]:[\\/]/;

/** Paths are compared with the folder as it is written. */
function normalGround(ground: Ground): Ground {
  const { workspace } = ground;
  if (!workspace.endsWith("/") || workspace === "/") return ground;
  return { ...ground, workspace: posix.resolve("/", workspace) };
}

function pathOf(value: string, ground: Ground, isElsewhere: boolean): PathReadings | undefined {
  if (value.length > MAX_PATH || value.includes("\0")) return undefined;
  const { workspace, userHome, startedIn = userHome } = ground;
  // Most paths are written as they are meant.
  if (PLAIN.test(value) && !value.endsWith(" ") && !workspace.endsWith("/")) {
    const inside = new Written(value);
    const own = { absolute: new Below(workspace, inside), inside };
    if (!isElsewhere) return { all: [own], unsure: false };
    const isOutside = (start: string) => !start.endsWith("/") && !start.startsWith(workspace);
    // A folder within the workspace would be seen from there, too.
    if (isOutside(userHome) && isOutside(startedIn)) {
      const all: KnownPath[] = [own, { absolute: new Below(userHome, inside) }];
      if (startedIn !== userHome) all.push({ absolute: new Below(startedIn, inside) });
      return { all, unsure: true };
    }
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
    absolute: new Written(absolute),
    ...(inside === undefined ? {} : { inside: new Written(inside) }),
  };
}

class Written implements PathText {
  readonly text: string;
  readonly pieces: readonly [PathPiece];

  constructor(text: string) {
    this.text = text;
    this.pieces = [new PathPiece(text)];
  }
}

/** A path seen from the root on. */
class Below implements PathText {
  readonly text: string;
  readonly pieces: readonly [PathPiece, PathPiece];

  constructor(folder: string, { text, pieces }: Written) {
    this.text = `${folder}/${text}`;
    this.pieces = [pieceOf(folder), pieces[0]];
  }
}

/** Of the few folders that calls start from. */
function pieceOf(folder: string): PathPiece {
  const known = STARTS.get(folder);
  if (known) return known;
  if (STARTS.size >= MAX_STARTS) STARTS.clear();
  const piece = new PathPiece(folder);
  STARTS.set(folder, piece);
  return piece;
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
