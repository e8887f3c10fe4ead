/** Which calls a rule is about: a glob over what the call is about, or predicates over its arguments. */

import { mayBeFileName } from "../../lib/address/host-name.ts";
import { isRecord } from "../../lib/json.ts";
import { mayMatch, wildcard } from "../../lib/text/wildcard.ts";
import type { RulePattern } from "../../machine/config/settings.ts";
import { SUBJECT_KINDS, type SubjectKind } from "./argument-kinds.ts";
import { type Anchor, pathAnchor, textAnchor } from "./paths/anchors.ts";
import { possibleHostsOf, sureHostOf } from "./paths/host-names.ts";
import { normalPathGlob, pathGlob } from "./paths/path-glob.ts";
import type { PathReader } from "./paths/place-names.ts";
import { type CommandReading, type Mark, marksIn, readCommandLine, UNKNOWN } from "./shell/shell-words.ts";
import type { Subjects } from "./subjects.ts";

/** A call as patterns see it; worked out when the first of them asks. */
export interface CallFacts {
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether the tool says that it takes an argument, by the steps to it. */
  readonly declares: (steps: readonly string[]) => boolean;
  readonly subjects: Subjects;
  readonly paths: PathReader;
}

export interface Pattern {
  /** Every value of it fits for sure: what an allow needs. */
  permits(call: CallFacts): boolean;
  /** Some value of it fits, or may: what is enough to ask or deny. */
  catches(call: CallFacts): Catch;
  /** Whether everything below the folders of the call is caught, for certain. */
  catchesBelow(call: CallFacts): boolean;
  /** How much it spells out; more wins. */
  readonly weight: number;
  /** No call fits, for sure or maybe, that does not meet one anchor of each list; an anchor without a text is always met. */
  readonly anchors: readonly (readonly Anchor[])[];
}

/**
 * Whether a pattern catches a call. `maybe`: only if a command that cannot be read for certain runs what it is about.
 * A path or host that one of its readers may take for another is caught `surely`.
 */
export type Catch = "no" | "maybe" | "surely";

/** A glob over one kind of value: whether a value fits for sure, and whether it may in some reading. */
interface Glob {
  readonly surely: (value: string, paths: PathReader) => boolean;
  readonly maybe: (value: string, paths: PathReader) => boolean;
  /** Of commands: whether one that is read for certain fits. Absent: `maybe` is enough. */
  readonly certainly?: (value: string, paths: PathReader) => boolean;
  /** Of paths: with a folder it fits everything below. */
  readonly isDeep?: boolean;
}

type Kind = SubjectKind | "argument";

interface Globs {
  readonly wanted: Readonly<Record<Kind, readonly Glob[]>>;
  readonly unwanted: Readonly<Record<Kind, readonly Glob[]>>;
  readonly weight: number;
  /** As they are written, without exceptions. */
  readonly texts: readonly string[];
}

const EXACT = 1_000;
const MAX_VALUES = 1_000;

/** `userHome`: what `~` in it stands for. */
export function compilePattern(pattern: RulePattern, userHome: string): Pattern {
  if (typeof pattern === "string") return subjectPattern(globsOf([pattern], userHome), userHome);
  const predicates = Object.entries(pattern).map(([name, globs]) =>
    predicate(name, globsOf(typeof globs === "string" ? [globs] : globs, userHome), userHome),
  );
  return {
    permits: (call) => predicates.every((each) => each.permits(call)),
    catches: (call) => all(predicates, (each) => each.catches(call)),
    catchesBelow: (call) => predicates.every((each) => each.catchesBelow(call)),
    weight: predicates.reduce((sum, { weight }) => sum + weight, 0),
    anchors: predicates.flatMap(({ anchors }) => anchors),
  };
}

/** A command says more about a call than the addresses in it; what stands beside it has to fit, too. */
function subjectPattern(globs: Globs, userHome: string): Pattern {
  return {
    permits(call) {
      const { declared, command, path } = call.subjects;
      const isThere = SUBJECT_KINDS.some((kind) => declared.has(kind));
      if (command.length === 0) return isThere && permitsAll(["path", "host"], globs, call);
      const host = call.subjects.host.length + call.subjects.unclear.host.length;
      if (path.length + host + call.subjects.unclear.path.length > 0) return false;
      return declared.has("command") && permitsAll(["command"], globs, call);
    },
    catches: (call) => any(SUBJECT_KINDS, (kind) => catchesAny(kind, globs, call)),
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
    any(readingsOf(argument), (steps) => {
      const { texts, more } = textsIn(valueAt(args, steps));
      return more ? "surely" : anyFits(texts, "argument", globs, paths);
    });
  return {
    permits({ args, paths, declares }) {
      const there = readingsOf(argument).filter((steps) => valueAt(args, steps) !== undefined);
      const fits = (steps: readonly string[]) => {
        const { texts, others } = textsIn(valueAt(args, steps));
        return texts.length > 0 && !others && allFit(texts, "argument", globs, paths);
      };
      return there.some(declares) && there.every(fits);
    },
    catches,
    catchesBelow: (call) => catches(call) === "surely",
    weight,
    anchors: [globs.texts.map((glob) => textAnchor(`arg.${argument}`, glob))],
  };
}

/** Where only exceptions are written, nothing has to be there. */
function anchorsOf(kind: SubjectKind, { texts }: Globs, userHome: string): readonly Anchor[] {
  if (texts.length === 0) return [textAnchor(kind === "path" ? "absolute" : kind, "*")];
  return texts.map((glob) => {
    if (kind === "path") return pathAnchor(glob, userHome);
    return textAnchor(kind, kind === "host" ? comparedHost(glob) : glob.trim());
  });
}

function permitsAll(kinds: readonly SubjectKind[], globs: Globs, { subjects, paths }: CallFacts): boolean {
  if (subjects.more || (kinds.includes("command") && subjects.hasEnvironment)) return false;
  return kinds.every(
    (kind) =>
      allFit(subjects[kind], kind, globs, paths) &&
      (kind === "command" || allFit(subjects.unclear[kind], kind, globs, paths)) &&
      (kind !== "host" || allFit(subjects.hostInCommand, kind, globs, paths)),
  );
}

function catchesAny(kind: SubjectKind, globs: Globs, { subjects, paths }: CallFacts): Catch {
  if (subjects.more) return kind === "command" ? "maybe" : "surely";
  const found = anyFits(subjects[kind], kind, globs, paths);
  if (kind !== "host" || found === "surely") return found;
  const bare = subjects.unclear.host.filter((value) => !mayBeFileName(value));
  return anyFits([...subjects.hostInCommand, ...bare], kind, globs, paths);
}

/** The best of the answers. */
function any<T>(items: readonly T[], ask: (item: T) => Catch): Catch {
  let found: Catch = "no";
  for (const item of items) {
    const answer = ask(item);
    if (answer === "surely") return answer;
    if (answer === "maybe") found = answer;
  }
  return found;
}

/** The worst of the answers. */
function all<T>(items: readonly T[], ask: (item: T) => Catch): Catch {
  let found: Catch = "surely";
  for (const item of items) {
    const answer = ask(item);
    if (answer === "no") return answer;
    if (answer === "maybe") found = answer;
  }
  return found;
}

/** A glob that goes through any number of folders at its end fits all that is in a folder that it fits. */
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
  return any(values, (value) => {
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

function globsOf(texts: readonly string[], userHome: string): Globs {
  const wanted = texts.filter((text) => !text.startsWith("!"));
  const unwanted = texts.filter((text) => text.startsWith("!")).map((text) => text.slice(1));
  const compiled = (globs: readonly string[]) => ({
    path: globs.map((glob) => forPaths(glob, userHome)),
    host: globs.map(forHosts),
    command: globs.map(forCommands),
    argument: globs.map(forArguments),
  });
  return {
    wanted: compiled(wanted),
    unwanted: compiled(unwanted),
    weight: wanted.length === 0 ? 1 : Math.min(...wanted.map(weightOf)),
    texts: wanted,
  };
}

function weightOf(glob: string): number {
  const literal = glob.replaceAll("*", "").length;
  return glob.includes("*") ? literal + 1 : literal + EXACT;
}

function forPaths(glob: string, userHome: string): Glob {
  const fits = pathGlob(glob, userHome);
  const isDeep = normalPathGlob(glob, userHome).parts.at(-1) === "**";
  return {
    isDeep,
    surely(value, paths) {
      const sure = paths.of(value)?.sure;
      return sure?.every(fits) === true;
    },
    maybe(value, paths) {
      const path = paths.of(value);
      return path === undefined || path.all.some(fits);
    },
  };
}

function forHosts(glob: string): Glob {
  const fits = wildcard(comparedHost(glob));
  return {
    surely(value) {
      const name = sureHostOf(value);
      return name !== undefined && fits(name);
    },
    maybe(value) {
      const names = possibleHostsOf(value);
      return names === undefined || (names.length === 0 ? fits(value.toLowerCase()) : names.some(fits));
    },
  };
}

function comparedHost(glob: string): string {
  return glob.includes("*") ? withoutDots(glob.toLowerCase()) : (sureHostOf(glob) ?? glob);
}

function withoutDots(glob: string): string {
  return glob.endsWith(".") ? withoutDots(glob.slice(0, -1)) : glob;
}

/**
 * What `*` stands for in an allowed command never starts another one, and is never a part that cannot be read for
 * certain: that is written out or not meant.
 */
function forCommands(glob: string): Glob {
  const written = glob.trim();
  const marks = marksIn(written) ?? [];
  const pieces = piecesBetween(written, marks);
  const fitting = pieces.map(wildcard);
  const fits = wildcard(written);
  const parts = written.split("*");
  let own: CommandReading | undefined;
  const startsTheSame = ({ inner }: CommandReading) => {
    if (inner.length === 0) return true;
    // Where a program stands, `*` is none that a command could name.
    own ??= readCommandLine(written.replaceAll("*", "\u2217"));
    return (
      own.inner.length === inner.length && inner.every((program, index) => program === own!.inner[index])
    );
  };
  return {
    surely(value, { commands }) {
      const command = value.trim();
      const found = commands.marksIn(command);
      if (found?.length !== marks.length) return false;
      if (found.some(({ char }, index) => char !== marks[index]!.char)) return false;
      const isFitting =
        marks.length === 0
          ? fits(command)
          : piecesBetween(command, found).every((piece, index) => fitting[index]!(piece));
      if (!isFitting || parts.length === 1) return isFitting;
      const reading = commands.read(value);
      return startsTheSame(reading) && !isUnreadUnder(reading, found, pieces);
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

/** Whether a part that cannot be read stands where the glob has a `*`. */
function isUnreadUnder(
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

function forArguments(glob: string): Glob {
  const fits = wildcard(glob);
  return { surely: fits, maybe: fits };
}

/** By its whole name, and step by step: `arg.repo.owner`. */
function readingsOf(name: string): readonly (readonly string[])[] {
  return name.includes(".") ? [[name], name.split(".")] : [[name]];
}

function valueAt(args: Readonly<Record<string, unknown>>, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((value, step) => {
    return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, args);
}

/** What stands in an argument, in each way to read its name. */
export function argumentTexts(args: Readonly<Record<string, unknown>>, name: string): readonly Texts[] {
  return readingsOf(name).map((steps) => textsIn(valueAt(args, steps)));
}

interface Texts {
  readonly texts: readonly string[];
  /** There is something in it that is no text, number or truth value. */
  readonly others: boolean;
  readonly more: boolean;
}

function textsIn(value: unknown): Texts {
  if (typeof value === "string") return { texts: [value], others: false, more: false };
  const texts: string[] = [];
  const waiting: unknown[] = value === undefined ? [] : [value];
  let others = false;
  let looked = 0;
  for (; waiting.length > 0 && looked < MAX_VALUES; looked++) {
    const next = waiting.pop();
    if (Array.isArray(next)) waiting.push(...next.slice(0, MAX_VALUES + 1));
    else if (isRecord(next)) waiting.push(...Object.values(next).slice(0, MAX_VALUES + 1));
    else if (next !== null) texts.push(String(next));
    others ||= isRecord(next) || next === null;
  }
  return { texts, others: others || waiting.length > 0, more: waiting.length > 0 };
}
