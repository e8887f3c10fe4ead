/** Paths in the one form in which rules compare them. */

import { posix } from "node:path";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import { Remembered } from "../../../lib/flow/remembered.ts";
import { lengthBit } from "../../../lib/text/literal-table.ts";
import { leadsThroughSystemLink } from "../../../machine/files/system-links.ts";
import { CommandLines } from "../shell/shell-words.ts";
import { absolutePath, DRIVE, spellingsOf } from "./path-spellings.ts";

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
  /** Every place that it may lead to: what an ask or a deny looks at. */
  readonly all: readonly KnownPath[];
  /** Those of them that an allow has to fit; undefined: nobody can be sure where it leads. */
  readonly sure: readonly KnownPath[] | undefined;
}

/** Where paths lead, as patterns ask. */
export interface PathReader {
  /** Undefined: nothing that a rule could be sure about. */
  of(value: string): PathReadings | undefined;
  readonly commands: CommandLines;
}

/** Paths that are no spelling of anything: where files really are. */
export class FilePaths implements PathReader {
  readonly #known: Remembered<PathReadings>;
  readonly commands: CommandLines;

  /** `also`: those of them that an allow need not fit. */
  constructor(workspace: string, also: readonly string[], commands: CommandLines) {
    this.commands = commands;
    this.#known = new Remembered((value) => {
      const all = [placeAt(value, workspace)];
      return { all, sure: also.includes(value) ? [] : all };
    });
  }

  of(value: string): PathReadings {
    return this.#known.of(value);
  }
}

/** Where the paths of one call lead; each is looked at once, however many globs it is compared with. */
export class Paths implements PathReader {
  readonly #known: Remembered<PathReadings | undefined>;
  #commands: CommandLines | undefined;

  /** `isElsewhere`: who reads them does not start from the workspace, and nobody knows where from. */
  constructor(ground: () => Ground, isElsewhere = false) {
    let standing: Ground | undefined;
    let left = MAX_WORK;
    this.#known = new Remembered((value) => {
      standing ??= normalGround(ground());
      const plain = plainPath(value, standing, isElsewhere);
      if (plain || left <= 0) return plain;
      const path = pathOf(value, standing, isElsewhere);
      left -= value.length * (path?.all.length ?? 1);
      return path;
    });
  }

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
/** As many characters of odd spellings of one call are resolved; what comes after them may lead anywhere. */
const MAX_WORK = 2_000_000;
const MAX_STARTS = 200;
const STARTS = new BoundedMap<string, PathPiece>(MAX_STARTS);
/** Relative, and nothing in it means another folder than it says. */
const PLAIN = /^[\w-][\w .-]*(?:\/[\w-][\w .-]*)*$/;

/** Paths are compared with the folder as it is written. */
export function normalGround(ground: Ground): Ground {
  const { workspace } = ground;
  if (!workspace.endsWith("/") || workspace === "/") return ground;
  return { ...ground, workspace: posix.resolve("/", workspace) };
}

/** Most paths are written as they are meant; undefined: this one may not be. */
function plainPath(value: string, ground: Ground, isElsewhere: boolean): PathReadings | undefined {
  const { workspace, userHome, startedIn = userHome } = ground;
  if (value.length > MAX_PATH || !PLAIN.test(value) || value.endsWith(" ") || workspace.endsWith("/"))
    return undefined;
  const inside = new Written(value);
  const own = [{ absolute: new Below(workspace, inside), inside }];
  if (!isElsewhere) return { all: own, sure: own };
  const isOutside = (start: string) => !start.endsWith("/") && !start.startsWith(workspace);
  // A folder within the workspace would be seen from there, too.
  if (!isOutside(userHome) || !isOutside(startedIn)) return undefined;
  const all: KnownPath[] = [...own, { absolute: new Below(userHome, inside) }];
  if (startedIn !== userHome) all.push({ absolute: new Below(startedIn, inside) });
  return { all, sure: undefined };
}

/**
 * Any other path, in each way in which somebody may read it. Some tools take `~` for a name like any other: that counts for
 * an ask or a deny only, or nothing below the home could be allowed.
 */
function pathOf(value: string, ground: Ground, isElsewhere: boolean): PathReadings | undefined {
  if (value.length > MAX_PATH || value.includes("\0")) return undefined;
  const spellings = spellingsOf(value);
  if (!spellings) return undefined;
  const { workspace, userHome, startedIn = userHome } = ground;
  const all = new Map<string, KnownPath>();
  const sure = new Set<KnownPath>();
  let isRelative = false;
  const add = (absolute: string): KnownPath => {
    const known = all.get(absolute) ?? placeAt(absolute, workspace);
    all.set(absolute, known);
    return known;
  };
  for (const text of spellings.all) {
    const isHome = /^~(?:\/|$)/.test(text);
    if (DRIVE.test(text)) sure.add(add(ended(posix.normalize(text))));
    if (isHome) sure.add(add(absolutePath(text, workspace, userHome)));
    const isOpen = isElsewhere && !text.startsWith("/");
    if (isOpen && !isHome) isRelative = true;
    for (const start of isOpen ? new Set([workspace, userHome, startedIn]) : [workspace]) {
      if (leadsThroughSystemLink(start, text)) return undefined;
      const place = add(absolutePath(text, start));
      if (!isHome) sure.add(place);
    }
  }
  return {
    all: [...all.values()],
    sure: spellings.isSure && !isRelative ? [...sure] : undefined,
  };
}

function placeAt(absolute: string, workspace: string): KnownPath {
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
  return STARTS.getOrMake(folder, () => new PathPiece(folder));
}

function within(folder: string, path: string): string | undefined {
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

function ended(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
