/** What a call is about, for rules: the paths, hosts and commands in its arguments. */
import { findAddresses } from "../../lib/address/addresses-in.ts";
import { isRecord } from "../../lib/json.ts";
import {
  type ArgumentKind,
  type ArgumentKinds,
  type DeclaredArgument,
  SUBJECT_KINDS,
  type SubjectKind,
} from "./argument-kinds.ts";
import { isFileAddress } from "./paths/path-spellings.ts";
import { findBareHosts } from "./shell/command-hosts.ts";

export interface Subjects {
  readonly path: readonly string[];
  readonly host: readonly string[];
  readonly command: readonly string[];
  /**
   * The kinds for which the tool's schema declares a value. Undeclared values may prevent an allow, but never justify
   * one.
   */
  readonly declared: ReadonlySet<SubjectKind>;
  /** Values that may be a path or a host; they prevent an allow that they do not match. */
  readonly unclear: Readonly<Record<"path" | "host", readonly string[]>>;
  /** Hosts that occur only in commands. */
  readonly hostInCommand: readonly string[];
  /** A command runs with variables of the caller. */
  readonly hasEnvironment: boolean;
  /** The arguments contain more than was looked at. */
  readonly isTruncated: boolean;
}

/** How many values of a call, and characters of its commands, are looked at. */
const MAX_VALUES = 1_000;
const MAX_CHARS = 100_000;
const MAX_PATH = 4_096;

/** Every path or host contains one of these. */
const PLACE_MARK = /[:/\\.~]/;
const ARGUMENT_LISTS = new Set(["args", "arguments", "argv", "parameters"]);
const ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\//i;
/** What browsers also accept as an address. */
const LOOSE_ADDRESS = /^(?:https?|wss?|ftp):/i;
const PATH_SHAPE = /^(?:\/|\\\\|~[\\/]|\.{1,2}(?:[\\/]|$)|[A-Za-z]:[\\/]|file:)/i;
const PARENT_FOLDER = /[\\/]\.\.(?:[\\/]|$)/;
const BARE_HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d{1,5})?$/u;
const ENDS_ADDRESS = /[\s'"`<>|;)]/g;

interface PendingValue {
  readonly value: unknown;
  readonly name: string;
  readonly declared: DeclaredArgument | undefined;
}

/** `uri`: what is read, where the call is for a resource. */
export function subjectsOf(args: unknown, kinds: ArgumentKinds, uri?: string): Subjects {
  const subjects = new SubjectCollector();
  if (uri !== undefined) subjects.addResource(uri);
  const queue: PendingValue[] = [{ value: args, name: "", declared: kinds.root }];
  for (let visited = 0; queue.length > 0 && visited < MAX_VALUES; visited++) {
    const next = queue.pop()!;
    const { value, name, declared } = next;
    if (typeof value === "string") subjects.add(kinds.kindOf(name, declared), value, declared !== undefined);
    else if (Array.isArray(value)) collectList(value, next, kinds, subjects, queue);
    else if (isRecord(value)) collectObject(value, next, kinds, subjects, queue);
  }
  if (queue.length > 0) subjects.isTruncated = true;
  return subjects;
}

function collectList(
  list: readonly unknown[],
  { name, declared }: PendingValue,
  kinds: ArgumentKinds,
  subjects: SubjectCollector,
  queue: PendingValue[],
): void {
  const texts = kinds.kindOf(name, declared) === "command" ? plainTexts(list) : undefined;
  // A list of words is one command; in a list of command lines, each line is one.
  const isOneCommand = texts !== undefined && !texts[0]?.includes(" ");
  if (isOneCommand) subjects.add("command", texts.map(quoteWord).join(" "), declared !== undefined);
  if (isOneCommand && !(name.endsWith("s") && texts.some((each) => each.includes(" ")))) return;
  for (let index = 0; index < list.length && index <= MAX_VALUES; index++)
    queue.push({ value: list[index], name, declared });
}

function collectObject(
  object: Readonly<Record<string, unknown>>,
  { name: outerName, declared }: PendingValue,
  kinds: ArgumentKinds,
  subjects: SubjectCollector,
  queue: PendingValue[],
): void {
  const names = Object.keys(object);
  const listName = names.find((name) => ARGUMENT_LISTS.has(name));
  const program =
    listName === undefined
      ? undefined
      : names.find((name) => kinds.kindOf(name, kinds.declaredUnder(declared, name)) === "command");
  const words = program === undefined ? undefined : wordsOf(object[listName!]);
  const isOneCommand = words !== undefined && typeof object[program!] === "string";
  if (isOneCommand) {
    const isDeclared = [program!, listName!].every(
      (name) => kinds.declaredUnder(declared, name) !== undefined,
    );
    subjects.add("command", [object[program!] as string, ...words].join(" "), isDeclared);
  }
  const kind = outerName === "" ? undefined : kinds.kindOf(outerName, declared);
  for (let index = 0; index < names.length && index <= MAX_VALUES; index++) {
    const name = names[index]!;
    if (isOneCommand && name === program) continue;
    subjects.addName(kind, name);
    const value = object[name];
    const declaredValue = kinds.declaredUnder(declared, name);
    if (kinds.kindOf(name, declaredValue) === "environment" && [value].flat().some(isFilled))
      subjects.hasEnvironment = true;
    queue.push({ value, name, declared: declaredValue });
  }
}

/** The arguments of a program. */
function wordsOf(rest: unknown): readonly string[] | undefined {
  return typeof rest === "string" ? [rest] : plainTexts(rest)?.map(quoteWord);
}

function plainTexts(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length > MAX_VALUES) return undefined;
  return list.every((item) => typeof item !== "object" || item === null) ? list.map(String) : undefined;
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" ? value.includes("=") : isRecord(value) && Object.keys(value).length > 0;
}

/** Most calls have values of one kind, so lists are created only when needed. */
const NONE: readonly string[] = Object.freeze([]);
const NOTHING_UNCLEAR: Subjects["unclear"] = Object.freeze({ path: NONE, host: NONE });
/** Every set of kinds, indexed by its bits. */
const DECLARED_SETS = Array.from(
  { length: 1 << SUBJECT_KINDS.length },
  (_, bits): ReadonlySet<SubjectKind> => new Set(SUBJECT_KINDS.filter((_kind, bit) => bits & (1 << bit))),
);

function append(list: readonly string[], value: string): readonly string[] {
  if (list === NONE) return [value];
  (list as string[]).push(value);
  return list;
}

class SubjectCollector implements Subjects {
  path = NONE;
  host = NONE;
  command = NONE;
  unclear = NOTHING_UNCLEAR;
  hostInCommand = NONE;
  hasEnvironment = false;
  isTruncated = false;
  #chars = 0;
  #declared = 0;

  get declared(): ReadonlySet<SubjectKind> {
    return DECLARED_SETS[this.#declared]!;
  }

  add(kind: ArgumentKind, value: string, isDeclared: boolean): void {
    if (kind === "command") this.#addCommand(value, isDeclared);
    else this.#addPlace(kind, value, isDeclared);
  }

  /** Judged by its name where that says something, and by its shape. */
  #addPlace(kind: ArgumentKind, value: string, isDeclared: boolean): void {
    const isNamed = kind === "path" || kind === "host";
    if (!isNamed && value.length <= MAX_PATH && !PLACE_MARK.test(value)) return;
    if (kind === "path" && !value.includes(":")) {
      this.#push("path", value, isDeclared);
      return;
    }
    const text = isNamed || value.length <= MAX_PATH ? value.trim() : value;
    const isFile = isFileAddress(text);
    const isAddress = !isFile && (ADDRESS.test(text) || (LOOSE_ADDRESS.test(text) && !text.includes(" ")));
    const hasShape = isLine(text) && (PATH_SHAPE.test(text) || PARENT_FOLDER.test(text));
    const isPath = kind === "path" || isFile || (hasShape && (kind === "place" || !LOOSE_ADDRESS.test(text)));
    const isHost = kind === "host" ? !isFile || !/^file:\/{3}/i.test(text) : isAddress;
    if (isPath || (kind === "place" && isPathLike(text) && !isAddress)) this.#push("path", value, isDeclared);
    if (isHost) this.#push("host", value, isDeclared);
    if (isPath || isHost) return;
    if (kind === "place" && BARE_HOST.test(text.slice(0, MAX_PATH))) this.#addUnclear("host", value);
    else if (kind === undefined && isPathLike(text)) this.#addUnclear("path", value);
  }

  /** The URI is canonical: the path of a file URI cannot be spelled otherwise. */
  addResource(uri: string): void {
    const [, file] = /^file:\/\/(\/[^?#]*)/.exec(uri) ?? [];
    if (file === undefined) this.add("host", uri, true);
    else this.#push("path", decodePath(file), true);
  }

  /** Names of properties may be places, too: `{ "files": { "src/a.ts": … } }`. */
  addName(outerKind: ArgumentKind, name: string): void {
    const isPlace = outerKind === "path" ? /[.\\/]/.test(name) : /[\\/]/.test(name);
    if (isPlace) this.add(outerKind === "path" ? "path" : undefined, name, false);
  }

  #addCommand(value: string, isDeclared: boolean): void {
    this.#chars += value.length;
    if (this.#chars > MAX_CHARS) {
      this.isTruncated = true;
      return;
    }
    this.#push("command", value, isDeclared);
    const bare = findBareHosts(value);
    if (bare.length > 0) this.hostInCommand = this.hostInCommand.concat(bare);
    if (!value.includes("://")) return;
    const readings = /["'\\]/.test(value) ? [value, value.replace(/["'\\]/g, "")] : [value];
    for (const reading of readings) {
      const { addresses, more } = findAddresses(reading, ENDS_ADDRESS, MAX_VALUES);
      this.hostInCommand = this.hostInCommand.concat(addresses);
      this.isTruncated ||= more;
    }
  }

  #push(kind: SubjectKind, value: string, isDeclared: boolean): void {
    this[kind] = append(this[kind], value);
    if (isDeclared) this.#declared |= 1 << SUBJECT_KINDS.indexOf(kind);
  }

  #addUnclear(kind: "path" | "host", value: string): void {
    this.unclear = { ...this.unclear, [kind]: append(this.unclear[kind], value) };
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isLine(value: string): boolean {
  return value.length <= MAX_PATH && !value.includes("\n");
}

/** A single word that leads elsewhere than to a file in the current folder. */
function isPathLike(value: string): boolean {
  return value.length <= MAX_PATH && /[\\/]|^\.\.$/.test(value) && !/\s/.test(value);
}

/** Quotes a word for a command line. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
