/** Which calls a rule is about: a glob over their paths, hosts and commands, or predicates over arguments. */

import { mayBeFileName } from "../../lib/address/host-name.ts";
import { isRecord } from "../../lib/json.ts";
import { mayMatch, wildcard } from "../../lib/text/wildcard.ts";
import type { RulePattern } from "../../machine/config/settings.ts";
import { SUBJECT_KINDS, type SubjectKind } from "./argument-kinds.ts";
import { type Anchor, pathAnchor, textAnchor } from "./paths/anchors.ts";
import { certainHostOf, possibleHostsOf } from "./paths/host-names.ts";
import { normalizePathGlob, pathGlob } from "./paths/path-glob.ts";
import type { PathReader } from "./paths/path-readings.ts";
import { type CommandReading, type Mark, marksIn, readCommandLine, UNKNOWN } from "./shell/shell-words.ts";
import type { Subjects } from "./subjects.ts";

/** A call as patterns see it; computed when the first pattern asks. */
export interface CallFacts {
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether the tool's schema declares an argument, by the path to it. */
  readonly declares: (steps: readonly string[]) => boolean;
  readonly subjects: Subjects;
  readonly paths: PathReader;
}

export interface Pattern {
  /** Whether every value certainly matches, as an allow requires. */
  permits(call: CallFacts): boolean;
  /** Whether some value matches or may match, which is enough to ask or deny. */
  catches(call: CallFacts): Catch;
  /** Whether everything below the folders of the call is certainly caught. */
  catchesBelow(call: CallFacts): boolean;
  /** How much it spells out; the larger weight wins. */
  readonly weight: number;
  /** A call can match only if it meets one anchor of each list; an anchor without a text is always met. */
  readonly anchors: readonly (readonly Anchor[])[];
}

/**
 * Whether a pattern catches a call. `maybe`: only if a command that cannot be read for certain runs what the pattern is
 * about. A path or host that some reader may take for a match is caught `surely`.
 */
export type Catch = "no" | "maybe" | "surely";

/** A glob over one kind of value. */
interface ValueGlob {
  readonly surely: (value: string, paths: PathReader) => boolean;
  readonly maybe: (value: string, paths: PathReader) => boolean;
  /** Only for commands: whether one that is read for certain matches. Absent: `maybe` is enough. */
  readonly certainly?: (value: string, paths: PathReader) => boolean;
  /** Only for paths: it matches everything below a folder that it matches. */
  readonly isDeep?: boolean;
}

type Kind = SubjectKind | "argument";

interface Globs {
  readonly wanted: Readonly<Record<Kind, readonly ValueGlob[]>>;
  readonly unwanted: Readonly<Record<Kind, readonly ValueGlob[]>>;
  readonly weight: number;
  /** As written, without exceptions. */
  readonly texts: readonly string[];
}

const EXACT = 1_000;
const MAX_VALUES = 1_000;

/** `userHome`: what `~` in it stands for. */
export function compilePattern(pattern: RulePattern, userHome: string): Pattern {
  if (typeof pattern === "string") return subjectPattern(compileGlobs([pattern], userHome), userHome);
  const predicates = Object.entries(pattern).map(([name, globs]) =>
    predicate(name, compileGlobs(typeof globs === "string" ? [globs] : globs, userHome), userHome),
  );
  return {
    permits: (call) => predicates.every((each) => each.permits(call)),
    catches: (call) => weakest(predicates, (each) => each.catches(call)),
    catchesBelow: (call) => predicates.every((each) => each.catchesBelow(call)),
    weight: predicates.reduce((sum, { weight }) => sum + weight, 0),
    anchors: predicates.flatMap(({ anchors }) => anchors),
  };
}

/** A command says more about a call than the addresses in it; values beside a command must match as well. */
function subjectPattern(globs: Globs, userHome: string): Pattern {
  return {
    permits(call) {
      const { declared, command, path } = call.subjects;
      const hasDeclared = SUBJECT_KINDS.some((kind) => declared.has(kind));
      if (command.length === 0) return hasDeclared && permitsAll(["path", "host"], globs, call);
      const host = call.subjects.host.length + call.subjects.unclear.host.length;
      if (path.length + host + call.subjects.unclear.path.length > 0) return false;
      return declared.has("command") && permitsAll(["command"], globs, call);
    },
    catches: (call) => strongest(SUBJECT_KINDS, (kind) => catchesAny(kind, globs, call)),
    catchesBelow: (call) => catchesFolder(globs, call),
    weight: globs.weight,
    anchors: [SUBJECT_KINDS.flatMap((kind) => anchorsOf(kind, globs, userHome))],
  };
}

function predicate(name: string, globs: Globs, userHome: string): Pattern {
  const { weight } = globs;
  const kind = SUBJECT_KINDS.find((each) => each === name);
  if (kind !== undefined) {
    return {
      permits: (call) => call.subjects.declared.has(kind) && permitsAll([kind], globs, call),
      catches: (call) => catchesAny(kind, globs, call),
      catchesBelow: (call) =>
        kind === "path" ? catchesFolder(globs, call) : catchesAny(kind, globs, call) === "surely",
      weight,
      anchors: [anchorsOf(kind, globs, userHome)],
    };
  }
  const argument = name.slice("arg.".length);
  const catches = ({ args, paths }: CallFacts) =>
    strongest(stepsOf(argument), (steps) => {
      const { texts, isTruncated } = collectTexts(valueAt(args, steps));
      return isTruncated ? "surely" : anyFits(texts, "argument", globs, paths);
    });
  return {
    permits({ args, paths, declares }) {
      const present = stepsOf(argument).filter((steps) => valueAt(args, steps) !== undefined);
      const fits = (steps: readonly string[]) => {
        const { texts, hasOthers } = collectTexts(valueAt(args, steps));
        return texts.length > 0 && !hasOthers && allFit(texts, "argument", globs, paths);
      };
      return present.some(declares) && present.every(fits);
    },
    catches,
    catchesBelow: (call) => catches(call) === "surely",
    weight,
    anchors: [globs.texts.map((glob) => textAnchor(`arg.${argument}`, glob))],
  };
}

/** With exceptions only, nothing has to be present. */
function anchorsOf(kind: SubjectKind, { texts }: Globs, userHome: string): readonly Anchor[] {
  if (texts.length === 0) return [textAnchor(kind === "path" ? "absolute" : kind, "*")];
  return texts.map((glob) => {
    if (kind === "path") return pathAnchor(glob, userHome);
    return textAnchor(kind, kind === "host" ? canonicalHost(glob) : glob.trim());
  });
}

function permitsAll(kinds: readonly SubjectKind[], globs: Globs, { subjects, paths }: CallFacts): boolean {
  if (subjects.isTruncated || (kinds.includes("command") && subjects.hasEnvironment)) return false;
  return kinds.every(
    (kind) =>
      allFit(subjects[kind], kind, globs, paths) &&
      (kind === "command" || allFit(subjects.unclear[kind], kind, globs, paths)) &&
      (kind !== "host" || allFit(subjects.hostInCommand, kind, globs, paths)),
  );
}

function catchesAny(kind: SubjectKind, globs: Globs, { subjects, paths }: CallFacts): Catch {
  if (subjects.isTruncated) return kind === "command" ? "maybe" : "surely";
  const found = anyFits(subjects[kind], kind, globs, paths);
  if (kind !== "host" || found === "surely") return found;
  const bareHosts = subjects.unclear.host.filter((value) => !mayBeFileName(value));
  return anyFits([...subjects.hostInCommand, ...bareHosts], kind, globs, paths);
}

/** The strongest answer for any item. */
function strongest<T>(items: readonly T[], catchOf: (item: T) => Catch): Catch {
  let result: Catch = "no";
  for (const item of items) {
    const answer = catchOf(item);
    if (answer === "surely") return answer;
    if (answer === "maybe") result = answer;
  }
  return result;
}

/** The weakest answer over all items. */
function weakest<T>(items: readonly T[], catchOf: (item: T) => Catch): Catch {
  let result: Catch = "surely";
  for (const item of items) {
    const answer = catchOf(item);
    if (answer === "no") return answer;
    if (answer === "maybe") result = answer;
  }
  return result;
}

/** A glob that ends in `**` matches everything in a folder that it matches. */
function catchesFolder(globs: Globs, { subjects, paths }: CallFacts): boolean {
  if (globs.unwanted.path.length > 0) return false;
  return globs.wanted.path.some(
    (glob) => glob.isDeep && subjects.path.some((value) => glob.maybe(value, paths)),
  );
}

function allFit(values: readonly string[], kind: Kind, globs: Globs, paths: PathReader): boolean {
  if (values.length === 0) return true;
  const [wanted, unwanted] = [globs.wanted[kind], globs.unwanted[kind]];
  return values.every(
    (value) =>
      (wanted.length === 0 || wanted.some((glob) => glob.surely(value, paths))) &&
      !unwanted.some((glob) => glob.maybe(value, paths)),
  );
}

function anyFits(values: readonly string[], kind: Kind, globs: Globs, paths: PathReader): Catch {
  if (values.length === 0) return "no";
  const [wanted, unwanted] = [globs.wanted[kind], globs.unwanted[kind]];
  return strongest(values, (value) => {
    if (unwanted.some((glob) => glob.surely(value, paths))) return "no";
    if (wanted.length === 0) return kind === "command" && !isReadable(value, paths) ? "maybe" : "surely";
    if (!wanted.some((glob) => glob.maybe(value, paths))) return "no";
    const isCertain = wanted.some(({ maybe, certainly = maybe }) => certainly(value, paths));
    return isCertain ? "surely" : "maybe";
  });
}

function isReadable(value: string, { commands }: PathReader): boolean {
  return commands.read(value).unread.length === 0;
}

function compileGlobs(texts: readonly string[], userHome: string): Globs {
  const wanted = texts.filter((text) => !text.startsWith("!"));
  const unwanted = texts.filter((text) => text.startsWith("!")).map((text) => text.slice(1));
  const compile = (globs: readonly string[]) => ({
    path: globs.map((glob) => compilePathGlob(glob, userHome)),
    host: globs.map(compileHostGlob),
    command: globs.map(compileCommandGlob),
    argument: globs.map(compileArgumentGlob),
  });
  return {
    wanted: compile(wanted),
    unwanted: compile(unwanted),
    weight: wanted.length === 0 ? 1 : Math.min(...wanted.map(weightOf)),
    texts: wanted,
  };
}

function weightOf(glob: string): number {
  const literal = glob.replaceAll("*", "").length;
  return glob.includes("*") ? literal + 1 : literal + EXACT;
}

function compilePathGlob(glob: string, userHome: string): ValueGlob {
  const fits = pathGlob(glob, userHome);
  const isDeep = normalizePathGlob(glob, userHome).parts.at(-1) === "**";
  return {
    isDeep,
    surely(value, paths) {
      const sure = paths.resolve(value)?.certain;
      return sure?.every(fits) === true;
    },
    maybe(value, paths) {
      const path = paths.resolve(value);
      return path === undefined || path.all.some(fits);
    },
  };
}

function compileHostGlob(glob: string): ValueGlob {
  const fits = wildcard(canonicalHost(glob));
  return {
    surely(value) {
      const name = certainHostOf(value);
      return name !== undefined && fits(name);
    },
    maybe(value) {
      const names = possibleHostsOf(value);
      return names === undefined || (names.length === 0 ? fits(value.toLowerCase()) : names.some(fits));
    },
  };
}

function canonicalHost(glob: string): string {
  return glob.includes("*") ? stripTrailingDots(glob.toLowerCase()) : (certainHostOf(glob) ?? glob);
}

function stripTrailingDots(glob: string): string {
  return glob.endsWith(".") ? stripTrailingDots(glob.slice(0, -1)) : glob;
}

/**
 * In an allowed command, `*` never stands for the start of another command, nor for a part that cannot be read for
 * certain: such a part has to be written out.
 */
function compileCommandGlob(glob: string): ValueGlob {
  const written = glob.trim();
  const marks = marksIn(written) ?? [];
  const pieces = piecesBetween(written, marks);
  const matchers = pieces.map(wildcard);
  const fits = wildcard(written);
  const parts = written.split("*");
  let ownReading: CommandReading | undefined;
  const startsSamePrograms = ({ inner }: CommandReading) => {
    if (inner.length === 0) return true;
    // In the place of a program, `*` must not match one: this character stands for no name that a command could have.
    ownReading ??= readCommandLine(written.replaceAll("*", "\u2217"));
    return (
      ownReading.inner.length === inner.length &&
      inner.every((program, index) => program === ownReading!.inner[index])
    );
  };
  return {
    surely(value, { commands }) {
      const command = value.trim();
      const found = commands.marksIn(command);
      if (found?.length !== marks.length) return false;
      if (found.some(({ char }, index) => char !== marks[index]!.char)) return false;
      const isMatching =
        marks.length === 0
          ? fits(command)
          : piecesBetween(command, found).every((piece, index) => matchers[index]!(piece));
      if (!isMatching || parts.length === 1) return isMatching;
      const reading = commands.read(value);
      return startsSamePrograms(reading) && !isUnreadUnderStar(reading, found, pieces);
    },
    maybe(value, { commands }) {
      const { texts, unread, isLoose } = commands.read(value);
      return (
        unread.length > 0 ||
        texts.some(fits) ||
        (isLoose && texts.some((text) => mayMatch(parts, text, UNKNOWN)))
      );
    },
    certainly: (value, { commands }) => commands.read(value).texts.some(fits),
  };
}

/** Whether a part that cannot be read is where the glob has a `*`. */
function isUnreadUnderStar(
  { unread }: CommandReading,
  marks: readonly Mark[],
  pieces: readonly string[],
): boolean {
  return unread.some(({ from, to }) =>
    pieces.some((piece, index) => {
      const start = index === 0 ? 0 : marks[index - 1]!.at + 1;
      const end = marks[index]?.at ?? Number.POSITIVE_INFINITY;
      return piece.includes("*") && from <= end && to >= start;
    }),
  );
}

function piecesBetween(text: string, marks: readonly Mark[]): string[] {
  const starts = [0, ...marks.map(({ at }) => at + 1)];
  return starts.map((start, index) => text.slice(start, marks[index]?.at ?? text.length));
}

function compileArgumentGlob(glob: string): ValueGlob {
  const fits = wildcard(glob);
  return { surely: fits, maybe: fits };
}

/** By its whole name, and as a path: `arg.repo.owner`. */
function stepsOf(name: string): readonly (readonly string[])[] {
  return name.includes(".") ? [[name], name.split(".")] : [[name]];
}

function valueAt(args: Readonly<Record<string, unknown>>, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => {
    return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, args);
}

/** The texts in an argument, for each way to read its name. */
export function argumentTexts(
  args: Readonly<Record<string, unknown>>,
  name: string,
): readonly ArgumentTexts[] {
  return stepsOf(name).map((steps) => collectTexts(valueAt(args, steps)));
}

interface ArgumentTexts {
  readonly texts: readonly string[];
  /** Whether it contains an object or null. */
  readonly hasOthers: boolean;
  readonly isTruncated: boolean;
}

function collectTexts(value: unknown): ArgumentTexts {
  if (typeof value === "string") return { texts: [value], hasOthers: false, isTruncated: false };
  const texts: string[] = [];
  const queue: unknown[] = value === undefined ? [] : [value];
  let hasOthers = false;
  let visited = 0;
  for (; queue.length > 0 && visited < MAX_VALUES; visited++) {
    const next = queue.pop();
    if (Array.isArray(next)) queue.push(...next.slice(0, MAX_VALUES + 1));
    else if (isRecord(next)) queue.push(...Object.values(next).slice(0, MAX_VALUES + 1));
    else if (next !== null) texts.push(String(next));
    hasOthers ||= isRecord(next) || next === null;
  }
  return { texts, hasOthers: hasOthers || queue.length > 0, isTruncated: queue.length > 0 };
}
