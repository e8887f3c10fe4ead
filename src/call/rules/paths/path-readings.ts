/** Paths in the one form in which rules compare them. */

import { posix } from "node:path";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import { Remembered } from "../../../lib/flow/remembered.ts";
import { lengthBit } from "../../../lib/text/literal-table.ts";
import { leadsThroughSystemLink } from "../../../machine/files/system-links.ts";
import { CommandLines } from "../shell/shell-words.ts";
import { absolutePath, DRIVE, spellingsOf } from "./path-spellings.ts";

/** The folders that the paths of a call start from. */
export interface PathBase {
  /** The folder of the calling agent. */
  readonly workspace: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** The folder that Toolkeep and the servers it starts run in; absent: unknown. */
  readonly startedIn?: string;
}

/** One location that a path may lead to. */
export interface ResolvedPath {
  /** From the root, without `..`, `.`, `~` and trailing slashes. */
  readonly absolute: PathText;
  /** The same relative to the workspace, if it lies inside. */
  readonly inside?: PathText;
}

export interface PathText {
  readonly text: string;
  /** The parts that it was joined from. */
  readonly pieces: readonly [PathPiece, PathPiece?];
}

/** Some folders, and maybe a file. Split only when each part has to be looked at. */
export class PathPiece {
  readonly text: string;
  /** As bits of `lengthBit`. */
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
  /** Every location that it may lead to: what asks and denies look at. */
  readonly all: readonly ResolvedPath[];
  /** The locations that an allow must match; undefined: nobody can be sure where the path leads. */
  readonly certain: readonly ResolvedPath[] | undefined;
}

/** Resolves paths for patterns. */
export interface PathReader {
  /** Undefined: nothing that a rule could be sure about. */
  resolve(value: string): PathReadings | undefined;
  readonly commands: CommandLines;
}

/** Real paths of files, which have no other spelling. */
export class FilePaths implements PathReader {
  readonly #known: Remembered<PathReadings>;
  readonly commands: CommandLines;

  /** `also`: paths that an allow need not match. */
  constructor(workspace: string, also: readonly string[], commands: CommandLines) {
    this.commands = commands;
    this.#known = new Remembered((value) => {
      const all = [resolvedPathAt(value, workspace)];
      return { all, certain: also.includes(value) ? [] : all };
    });
  }

  resolve(value: string): PathReadings {
    return this.#known.of(value);
  }
}

/** Resolves the paths of one call; each is resolved once, however many globs it is compared with. */
export class CallPaths implements PathReader {
  readonly #known: Remembered<PathReadings | undefined>;
  #commands: CommandLines | undefined;

  /** `isElsewhere`: their reader does not start from the workspace, and its folder is unknown. */
  constructor(pathBase: () => PathBase, isElsewhere = false) {
    let base: PathBase | undefined;
    let remainingWork = MAX_WORK;
    this.#known = new Remembered((value) => {
      base ??= normalizeBase(pathBase());
      const plain = resolvePlain(value, base, isElsewhere);
      if (plain || remainingWork <= 0) return plain;
      const path = resolveAny(value, base, isElsewhere);
      remainingWork -= value.length * (path?.all.length ?? 1);
      return path;
    });
  }

  resolve(value: string): PathReadings | undefined {
    return this.#known.of(value);
  }

  /** The same for the call's commands. */
  get commands(): CommandLines {
    this.#commands ??= new CommandLines();
    return this.#commands;
  }
}

const MAX_PATH = 4_096;
/** How many characters of unusual spellings are resolved per call; later ones may lead anywhere. */
const MAX_WORK = 2_000_000;
const MAX_STARTS = 200;
const STARTS = new BoundedMap<string, PathPiece>(MAX_STARTS);
/** Relative, and free of parts such as `..` or `~` that lead elsewhere. */
const PLAIN = /^[\w-][\w .-]*(?:\/[\w-][\w .-]*)*$/;

/** Paths are compared with the folder as written, so trailing slashes are removed. */
export function normalizeBase(base: PathBase): PathBase {
  const { workspace } = base;
  if (!workspace.endsWith("/") || workspace === "/") return base;
  return { ...base, workspace: posix.resolve("/", workspace) };
}

/** Most paths are written plainly; undefined: this one may not be. */
function resolvePlain(value: string, base: PathBase, isElsewhere: boolean): PathReadings | undefined {
  const { workspace, userHome, startedIn = userHome } = base;
  if (value.length > MAX_PATH || !PLAIN.test(value) || value.endsWith(" ") || workspace.endsWith("/"))
    return undefined;
  const inside = new WholePath(value);
  const own = [{ absolute: new JoinedPath(workspace, inside), inside }];
  if (!isElsewhere) return { all: own, certain: own };
  const isOutside = (start: string) => !start.endsWith("/") && !start.startsWith(workspace);
  // A folder within the workspace would also be relative to it.
  if (!isOutside(userHome) || !isOutside(startedIn)) return undefined;
  const all: ResolvedPath[] = [...own, { absolute: new JoinedPath(userHome, inside) }];
  if (startedIn !== userHome) all.push({ absolute: new JoinedPath(startedIn, inside) });
  return { all, certain: undefined };
}

/**
 * Resolves any other path in every way in which some reader may read it. Some tools take `~` for an ordinary name: that
 * counts for asks and denies only, or nothing below the home could be allowed.
 */
function resolveAny(value: string, base: PathBase, isElsewhere: boolean): PathReadings | undefined {
  if (value.length > MAX_PATH || value.includes("\0")) return undefined;
  const spellings = spellingsOf(value);
  if (!spellings) return undefined;
  const { workspace, userHome, startedIn = userHome } = base;
  const all = new Map<string, ResolvedPath>();
  const certain = new Set<ResolvedPath>();
  let isRelative = false;
  const add = (absolute: string): ResolvedPath => {
    const known = all.get(absolute) ?? resolvedPathAt(absolute, workspace);
    all.set(absolute, known);
    return known;
  };
  for (const text of spellings.all) {
    const isHome = /^~(?:\/|$)/.test(text);
    if (DRIVE.test(text)) certain.add(add(stripTrailingSlash(posix.normalize(text))));
    if (isHome) certain.add(add(absolutePath(text, workspace, userHome)));
    const isOpen = isElsewhere && !text.startsWith("/");
    if (isOpen && !isHome) isRelative = true;
    for (const start of isOpen ? new Set([workspace, userHome, startedIn]) : [workspace]) {
      if (leadsThroughSystemLink(start, text)) return undefined;
      const location = add(absolutePath(text, start));
      if (!isHome) certain.add(location);
    }
  }
  return {
    all: [...all.values()],
    certain: spellings.isCertain && !isRelative ? [...certain] : undefined,
  };
}

function resolvedPathAt(absolute: string, workspace: string): ResolvedPath {
  const inside = absolute === workspace ? "." : relativeTo(workspace, absolute);
  return {
    absolute: new WholePath(absolute),
    ...(inside === undefined ? {} : { inside: new WholePath(inside) }),
  };
}

class WholePath implements PathText {
  readonly text: string;
  readonly pieces: readonly [PathPiece];

  constructor(text: string) {
    this.text = text;
    this.pieces = [new PathPiece(text)];
  }
}

/** A relative path joined to its folder. */
class JoinedPath implements PathText {
  readonly text: string;
  readonly pieces: readonly [PathPiece, PathPiece];

  constructor(folder: string, { text, pieces }: WholePath) {
    this.text = `${folder}/${text}`;
    this.pieces = [pieceOf(folder), pieces[0]];
  }
}

/** For the few folders that calls start from. */
function pieceOf(folder: string): PathPiece {
  return STARTS.getOrMake(folder, () => new PathPiece(folder));
}

function relativeTo(folder: string, path: string): string | undefined {
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

function stripTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
