/** What a call is about, for rules: the paths, hosts and commands in its arguments. */
import { addressesIn } from "../../lib/address/addresses-in.ts";
import { isRecord } from "../../lib/json.ts";
import {
  type ArgumentKind,
  type ArgumentKinds,
  type Declared,
  SUBJECT_KINDS,
  type SubjectKind,
} from "./argument-kinds.ts";
import { isFileAddress } from "./paths/path-spellings.ts";
import { bareHostsIn } from "./shell/command-hosts.ts";

export interface Subjects {
  readonly path: readonly string[];
  readonly host: readonly string[];
  readonly command: readonly string[];
  /** Of which kinds there is a value that the tool says it takes: others may hinder an allow, never carry it. */
  readonly declared: ReadonlySet<SubjectKind>;
  /** What may be a path or a host, as far as one can tell; hinders an allow where it does not fit. */
  readonly unclear: Readonly<Record<"path" | "host", readonly string[]>>;
  /** Hosts that only stand in commands. */
  readonly hostInCommand: readonly string[];
  /** A command is run with variables of the caller. */
  readonly hasEnvironment: boolean;
  /** There is more in the arguments than was looked at. */
  readonly more: boolean;
}

/** As many values of one call are looked at, and as many characters of its commands. */
const MAX_VALUES = 1_000;
const MAX_CHARS = 100_000;
const MAX_PATH = 4_096;

/** No place of any kind is written without one of these. */
const PLACE_MARK = /[:/\\.~]/;
const REST = new Set(["args", "arguments", "argv", "parameters"]);
const ADDRESS = /^[a-z][a-z0-9+.-]{0,31}:\/\//i;
/** What browsers take for an address, too. */
const LOOSE_ADDRESS = /^(?:https?|wss?|ftp):/i;
const PATH_SHAPE = /^(?:\/|\\\\|~[\\/]|\.{1,2}(?:[\\/]|$)|[A-Za-z]:[\\/]|file:)/i;
const UPWARDS = /[\\/]\.\.(?:[\\/]|$)/;
const BARE_HOST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d{1,5})?$/u;
const ENDS_ADDRESS = /[\s'"`<>|;)]/g;

interface Waiting {
  readonly value: unknown;
  readonly name: string;
  readonly declared: Declared | undefined;
}

/** `uri`: what is read, where the call is of a resource. */
export function subjectsOf(args: unknown, kinds: ArgumentKinds, uri?: string): Subjects {
  const found = new Found();
  if (uri !== undefined) found.addResource(uri);
  const waiting: Waiting[] = [{ value: args, name: "", declared: kinds.root }];
  for (let looked = 0; waiting.length > 0 && looked < MAX_VALUES; looked++) {
    const next = waiting.pop()!;
    const { value, name, declared } = next;
    if (typeof value === "string") found.add(kinds.of(name, declared), value, declared !== undefined);
    else if (Array.isArray(value)) takeList(value, next, kinds, found, waiting);
    else if (isRecord(value)) takeObject(value, next, kinds, found, waiting);
  }
  if (waiting.length > 0) found.more = true;
  return found;
}

function takeList(
  list: readonly unknown[],
  { name, declared }: Waiting,
  kinds: ArgumentKinds,
  found: Found,
  waiting: Waiting[],
): void {
  const texts = kinds.of(name, declared) === "command" ? plainTexts(list) : undefined;
  // A list of words is one command; of whole command lines, each is.
  const isOne = texts !== undefined && !texts[0]?.includes(" ");
  if (isOne) found.add("command", texts.map(quoted).join(" "), declared !== undefined);
  if (isOne && !(name.endsWith("s") && texts.some((each) => each.includes(" ")))) return;
  for (let index = 0; index < list.length && index <= MAX_VALUES; index++)
    waiting.push({ value: list[index], name, declared });
}

function takeObject(
  object: Readonly<Record<string, unknown>>,
  { name: within, declared }: Waiting,
  kinds: ArgumentKinds,
  found: Found,
  waiting: Waiting[],
): void {
  const names = Object.keys(object);
  const rest = names.find((name) => REST.has(name));
  const program =
    rest === undefined
      ? undefined
      : names.find((name) => kinds.of(name, kinds.under(declared, name)) === "command");
  const texts = program === undefined ? undefined : wordsOf(object[rest!]);
  const isWhole = texts !== undefined && typeof object[program!] === "string";
  if (isWhole) {
    const isDeclared = [program!, rest!].every((name) => kinds.under(declared, name) !== undefined);
    found.add("command", [object[program!] as string, ...texts].join(" "), isDeclared);
  }
  const kind = within === "" ? undefined : kinds.of(within, declared);
  for (let index = 0; index < names.length && index <= MAX_VALUES; index++) {
    const name = names[index]!;
    if (isWhole && name === program) continue;
    found.addName(kind, name);
    const value = object[name];
    const place = kinds.under(declared, name);
    if (kinds.of(name, place) === "environment" && [value].flat().some(isFilled)) found.hasEnvironment = true;
    waiting.push({ value, name, declared: place });
  }
}

/** What stands behind a program. */
function wordsOf(rest: unknown): readonly string[] | undefined {
  return typeof rest === "string" ? [rest] : plainTexts(rest)?.map(quoted);
}

function plainTexts(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length > MAX_VALUES) return undefined;
  return list.every((item) => typeof item !== "object" || item === null) ? list.map(String) : undefined;
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" ? value.includes("=") : isRecord(value) && Object.keys(value).length > 0;
}

/** Most calls have values of one kind: lists are made when there is something to put into them. */
const NONE: readonly string[] = Object.freeze([]);
const NOTHING_UNCLEAR: Subjects["unclear"] = Object.freeze({ path: NONE, host: NONE });
/** Every set of kinds, by the bits of its number. */
const DECLARED = Array.from(
  { length: 1 << SUBJECT_KINDS.length },
  (_, bits): ReadonlySet<SubjectKind> => new Set(SUBJECT_KINDS.filter((_kind, bit) => bits & (1 << bit))),
);

function withOne(list: readonly string[], value: string): readonly string[] {
  if (list === NONE) return [value];
  (list as string[]).push(value);
  return list;
}

class Found implements Subjects {
  path = NONE;
  host = NONE;
  command = NONE;
  unclear = NOTHING_UNCLEAR;
  hostInCommand = NONE;
  hasEnvironment = false;
  more = false;
  #chars = 0;
  #declared = 0;

  get declared(): ReadonlySet<SubjectKind> {
    return DECLARED[this.#declared]!;
  }

  add(kind: ArgumentKind, value: string, isDeclared: boolean): void {
    if (kind === "command") this.#addCommand(value, isDeclared);
    else this.#addPlace(kind, value, isDeclared);
  }

  /** By its name where that says something, and by what it looks like. */
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
    const hasShape = isLine(text) && (PATH_SHAPE.test(text) || UPWARDS.test(text));
    const isPath = kind === "path" || isFile || (hasShape && (kind === "place" || !LOOSE_ADDRESS.test(text)));
    const isHost = kind === "host" ? !isFile || !/^file:\/{3}/i.test(text) : isAddress;
    if (isPath || (kind === "place" && isPathLike(text) && !isAddress)) this.#push("path", value, isDeclared);
    if (isHost) this.#push("host", value, isDeclared);
    if (isPath || isHost) return;
    if (kind === "place" && BARE_HOST.test(text.slice(0, MAX_PATH))) this.#addUnclear("host", value);
    else if (kind === undefined && isPathLike(text)) this.#addUnclear("path", value);
  }

  /** A URI that all readers read alike: one of a file is no path that could be spelt otherwise. */
  addResource(uri: string): void {
    const [, file] = /^file:\/\/(\/[^?#]*)/.exec(uri) ?? [];
    if (file === undefined) this.add("host", uri, true);
    else this.#push("path", decodedPath(file), true);
  }

  /** Names of properties may be places, too: `{ "files": { "src/a.ts": … } }`. */
  addName(within: ArgumentKind, name: string): void {
    const isPlace = within === "path" ? /[.\\/]/.test(name) : /[\\/]/.test(name);
    if (isPlace) this.add(within === "path" ? "path" : undefined, name, false);
  }

  #addCommand(value: string, isDeclared: boolean): void {
    this.#chars += value.length;
    if (this.#chars > MAX_CHARS) {
      this.more = true;
      return;
    }
    this.#push("command", value, isDeclared);
    const bare = bareHostsIn(value);
    if (bare.length > 0) this.hostInCommand = this.hostInCommand.concat(bare);
    if (!value.includes("://")) return;
    const readings = /["'\\]/.test(value) ? [value, value.replace(/["'\\]/g, "")] : [value];
    for (const reading of readings) {
      const { addresses, more } = addressesIn(reading, ENDS_ADDRESS, MAX_VALUES);
      this.hostInCommand = this.hostInCommand.concat(addresses);
      this.more ||= more;
    }
  }

  #push(kind: SubjectKind, value: string, isDeclared: boolean): void {
    this[kind] = withOne(this[kind], value);
    if (isDeclared) this.#declared |= 1 << SUBJECT_KINDS.indexOf(kind);
  }

  #addUnclear(kind: "path" | "host", value: string): void {
    this.unclear = { ...this.unclear, [kind]: withOne(this.unclear[kind], value) };
  }
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isLine(value: string): boolean {
  return value.length <= MAX_PATH && !value.includes("\n");
}

/** One word that would lead somewhere else than to a file of the folder it is used in. */
function isPathLike(value: string): boolean {
  return value.length <= MAX_PATH && /[\\/]|^\.\.$/.test(value) && !/\s/.test(value);
}

/** As a word of a command line. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
