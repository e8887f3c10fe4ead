/** The texts of a call that globs are compared with, in every form in which one may match. */

import { Remembered } from "../../lib/flow/remembered.ts";
import { beginningBit, endBit } from "../../lib/text/literal-tree.ts";
import type { Channel } from "./paths/anchors.ts";
import { certainHostOf, possibleHostsOf } from "./paths/host-names.ts";
import type { PathPiece } from "./paths/path-readings.ts";
import { argumentTexts, type CallFacts } from "./pattern.ts";

/** A channel in the form that is looked up for every call. */
export interface TextSource {
  /** Its index in `KINDS`; -1: it is an argument. */
  readonly kind: number;
  readonly argument: string;
}

export interface ChannelTexts {
  readonly whole: readonly string[];
  /** What the texts begin and end with, as bits of `beginningBit` and `endBit`. */
  readonly beginnings: number;
  readonly ends: number;
  /** Only for paths: their folders and files. */
  readonly pieces: readonly PathPiece[];
  /** The lengths of the pieces, as bits of `lengthBit`. */
  readonly lengths: number;
}

/** A call with more texts of one kind is compared with every rule. */
const MAX_TEXTS = 200;
const NO_PIECES: readonly PathPiece[] = Object.freeze([]);
const NO_TEXTS = withoutPieces([]);
const NOT_READ = withoutPieces([]);
const KINDS: readonly string[] = ["absolute", "inside", "host", "command"] satisfies Channel[];

export function sourceOf(channel: Channel): TextSource {
  return { kind: KINDS.indexOf(channel), argument: channel.slice("arg.".length) };
}

/** Reads each kind of text once per call, however many rules look at it. */
export class CallTexts {
  readonly #facts: CallFacts;
  readonly #kinds: (ChannelTexts | undefined)[] = [NOT_READ, NOT_READ, NOT_READ, NOT_READ];
  readonly #arguments: Remembered<ChannelTexts | undefined>;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.#arguments = new Remembered((name) => ifFew(argumentsOf(facts, name)));
  }

  /** Undefined: not all texts are known, so that any glob may match. */
  get({ kind, argument }: TextSource): ChannelTexts | undefined {
    if (kind < 0) return this.#arguments.of(argument);
    if (this.#kinds[kind] === NOT_READ) this.#kinds[kind] = ifFew(this.#read(KINDS[kind]!));
    return this.#kinds[kind];
  }

  #read(kind: string): ChannelTexts | undefined {
    const { subjects } = this.#facts;
    if (subjects.isTruncated) return undefined;
    if (kind === "host") {
      const { host, hostInCommand, unclear } = subjects;
      const all = [...host, ...hostInCommand, ...unclear.host];
      return all.length === 0 ? NO_TEXTS : hostsOf(all);
    }
    if (kind === "command") return subjects.command.length === 0 ? NO_TEXTS : commandsOf(this.#facts);
    return subjects.path.length === 0 ? NO_TEXTS : pathsOf(this.#facts, kind === "absolute");
  }
}

function withoutPieces(whole: readonly string[]): ChannelTexts {
  return textsOf(whole, NO_PIECES);
}

function textsOf(whole: readonly string[], pieces: readonly PathPiece[]): ChannelTexts {
  let beginnings = 0;
  let ends = 0;
  let lengths = 0;
  for (const text of whole) {
    beginnings |= beginningBit(text);
    ends |= endBit(text);
  }
  for (const piece of pieces) lengths |= piece.lengths;
  return { whole, beginnings, ends, pieces, lengths };
}

function ifFew(texts: ChannelTexts | undefined): ChannelTexts | undefined {
  return texts && texts.whole.length <= MAX_TEXTS ? texts : undefined;
}

function pathsOf({ subjects, paths }: CallFacts, isAbsolute: boolean): ChannelTexts | undefined {
  const whole: string[] = [];
  const pieces: PathPiece[] = [];
  for (const value of subjects.path) {
    const path = paths.resolve(value);
    if (!path) return undefined;
    for (const { absolute, inside } of path.all) {
      const form = isAbsolute ? absolute : inside;
      if (!form) continue;
      whole.push(form.text);
      for (const piece of form.pieces) if (piece) pieces.push(piece);
    }
  }
  return textsOf(whole, pieces);
}

function hostsOf(values: readonly string[]): ChannelTexts | undefined {
  const whole: string[] = [];
  for (const value of values) {
    const names = possibleHostsOf(value);
    if (!names) return undefined;
    const certain = certainHostOf(value);
    whole.push(...(names.length === 0 ? [value.toLowerCase()] : names));
    if (certain !== undefined) whole.push(certain);
  }
  return withoutPieces(whole);
}

function commandsOf({ subjects, paths }: CallFacts): ChannelTexts | undefined {
  const whole: string[] = [];
  for (const value of subjects.command) {
    const { texts, isLoose, unread } = paths.commands.read(value);
    if (isLoose || unread.length > 0) return undefined;
    const written = value.trim();
    if (!texts.includes(written)) whole.push(written);
    whole.push(...texts);
  }
  return withoutPieces(subjects.command.length === 1 ? whole : [...new Set(whole)]);
}

function argumentsOf({ args }: CallFacts, name: string): ChannelTexts | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof value === "string" && !name.includes(".")) return withoutPieces([value]);
  const whole: string[] = [];
  for (const { texts, isTruncated } of argumentTexts(args, name)) {
    if (isTruncated) return undefined;
    whole.push(...texts);
  }
  return withoutPieces(whole);
}
