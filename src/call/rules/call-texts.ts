/** The texts of a call that globs are compared with, in every form in which one of them may fit. */

import { Remembered } from "../../lib/flow/remembered.ts";
import { beginningBit, endBit } from "../../lib/text/literal-tree.ts";
import type { Channel } from "./paths/anchors.ts";
import { possibleHostsOf, sureHostOf } from "./paths/host-names.ts";
import type { PathPiece } from "./paths/place-names.ts";
import { argumentTexts, type CallFacts } from "./pattern.ts";

/** A channel, ready to be looked at with every call. */
export interface Source {
  /** Its number among `KINDS`; -1: it is an argument. */
  readonly kind: number;
  readonly argument: string;
}

export interface Texts {
  readonly whole: readonly string[];
  /** What those begin with, and what they end with: as `beginningBit` and `endBit` have it. */
  readonly beginnings: number;
  readonly ends: number;
  /** Of paths: their folders and files. */
  readonly pieces: readonly PathPiece[];
  /** How long those are, as `lengthBit` has it. */
  readonly lengths: number;
}

/** As many texts of one kind are looked up; a call with more is compared with every rule. */
const MAX_TEXTS = 200;
const NO_PIECES: readonly PathPiece[] = Object.freeze([]);
const NOTHING = onlyWhole([]);
const UNREAD = onlyWhole([]);
const KINDS: readonly string[] = ["absolute", "inside", "host", "command"] satisfies Channel[];

export function sourceOf(channel: Channel): Source {
  return { kind: KINDS.indexOf(channel), argument: channel.slice("arg.".length) };
}

/** Read once a call, whichever rules look for them. */
export class CallTexts {
  readonly #facts: CallFacts;
  readonly #kinds: (Texts | undefined)[] = [UNREAD, UNREAD, UNREAD, UNREAD];
  readonly #arguments: Remembered<Texts | undefined>;

  constructor(facts: CallFacts) {
    this.#facts = facts;
    this.#arguments = new Remembered((name) => few(argumentsOf(facts, name)));
  }

  /** Undefined: what is there cannot all be told, so that any glob may fit. */
  of({ kind, argument }: Source): Texts | undefined {
    if (kind < 0) return this.#arguments.of(argument);
    if (this.#kinds[kind] === UNREAD) this.#kinds[kind] = few(this.#read(KINDS[kind]!));
    return this.#kinds[kind];
  }

  #read(kind: string): Texts | undefined {
    const { subjects } = this.#facts;
    if (subjects.more) return undefined;
    if (kind === "host") {
      const { host, hostInCommand, unclear } = subjects;
      const all = [...host, ...hostInCommand, ...unclear.host];
      return all.length === 0 ? NOTHING : hostsOf(all);
    }
    if (kind === "command") return subjects.command.length === 0 ? NOTHING : commandsOf(this.#facts);
    return subjects.path.length === 0 ? NOTHING : pathsOf(this.#facts, kind === "absolute");
  }
}

function onlyWhole(whole: readonly string[]): Texts {
  return textsOf(whole, NO_PIECES);
}

function textsOf(whole: readonly string[], pieces: readonly PathPiece[]): Texts {
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

function few(texts: Texts | undefined): Texts | undefined {
  return texts && texts.whole.length <= MAX_TEXTS ? texts : undefined;
}

function pathsOf({ subjects, paths }: CallFacts, isAbsolute: boolean): Texts | undefined {
  const whole: string[] = [];
  const pieces: PathPiece[] = [];
  for (const value of subjects.path) {
    const path = paths.of(value);
    if (!path) return undefined;
    for (const { absolute, inside } of path.all) {
      const place = isAbsolute ? absolute : inside;
      if (!place) continue;
      whole.push(place.text);
      for (const piece of place.pieces) if (piece) pieces.push(piece);
    }
  }
  return textsOf(whole, pieces);
}

function hostsOf(values: readonly string[]): Texts | undefined {
  const whole: string[] = [];
  for (const value of values) {
    const names = possibleHostsOf(value);
    if (!names) return undefined;
    const sure = sureHostOf(value);
    whole.push(...(names.length === 0 ? [value.toLowerCase()] : names));
    if (sure !== undefined) whole.push(sure);
  }
  return onlyWhole(whole);
}

function commandsOf({ subjects, paths }: CallFacts): Texts | undefined {
  const whole: string[] = [];
  for (const value of subjects.command) {
    const { texts, isLoose, unread } = paths.commands.read(value);
    if (isLoose || unread.length > 0) return undefined;
    const written = value.trim();
    if (!texts.includes(written)) whole.push(written);
    whole.push(...texts);
  }
  return onlyWhole(subjects.command.length === 1 ? whole : [...new Set(whole)]);
}

function argumentsOf({ args }: CallFacts, name: string): Texts | undefined {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (typeof value === "string" && !name.includes(".")) return onlyWhole([value]);
  const whole: string[] = [];
  for (const { texts, more } of argumentTexts(args, name)) {
    if (more) return undefined;
    whole.push(...texts);
  }
  return onlyWhole(whole);
}
