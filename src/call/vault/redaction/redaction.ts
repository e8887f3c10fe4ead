import { urlBase64 } from "./base64-form.ts";
import { merged, type Range } from "./matcher.ts";
import { Sieve } from "./sieve.ts";
import {
  base64Around,
  isInBase64,
  Spellings,
  siftedForms,
  spellingsOf,
  type ValueSpellings,
} from "./spellings.ts";
import { SHORTEST_REDACTED } from "./value-forms.ts";

const KEPT_OF_A_SERIES = 16;
/** If a series has more characters, fewer values are kept. */
const MANY_CHARACTERS = 16_384;
const KEPT_OF_LONG_ONES = 5;
const REPLACEMENT = "[redacted]";
/** Base64 is decoded, and base64 inside that, but no deeper. */
const MAX_DEPTH = 2;
/** Shorter base64 is not decoded. */
const SHORTEST_ENCODED = 24;
/** If this many bytes contain no control characters, the rest counts as text. */
const SAMPLE = 48;
/** The first forms in base64 encode the value itself, the others encode those forms. */
const BASE64_ONCE = 3;
/** After this many forgotten values the sieve is rebuilt. */
const MANY_FORGOTTEN = 100;

/**
 * Removes known values from texts, however they are spelled: a sieve finds the few places where a value may be, and these
 * are read in every way there is. Overlapping finds are removed as one, so that no end of a value is left over.
 */
export class Redaction {
  readonly #sieve = new Sieve();
  readonly #spellings = new Spellings();
  #forgotten = 0;
  /** How often each value is known: permanently, and in each series. */
  readonly #known = new Map<string, number>();
  readonly #forGood = new Set<string>();
  /** By name; the oldest value of each first. */
  readonly #series = new Map<string, Set<string>>();

  /** A `series` is for values that replace each other: only the last few are remembered. */
  add(value: string, series?: string): void {
    if (value.length < SHORTEST_REDACTED) return;
    if (series !== undefined) this.#addTo(series, value);
    else if (!this.#forGood.has(value)) {
      this.#forGood.add(value);
      this.#remember(value);
    }
  }

  /** Moves the values of a series to the end of another one. */
  move(series: string, into: string): void {
    const values = this.#series.get(series) ?? [];
    this.#series.delete(series);
    for (const value of values) {
      this.#addTo(into, value);
      this.#forget(value);
    }
  }

  apply(text: string): string {
    if (text.length < SHORTEST_REDACTED || this.#known.size === 0) return text;
    const found = this.#find(text, 0);
    return found.length === 0 ? text : cutOut(text, merged(found));
  }

  #find(text: string, depth: number): Range[] {
    const { windows, encoded } = this.#sieve.sift(text);
    const found: Range[] = [];
    for (const { start, end } of windows) {
      for (const range of this.#spellings.find(text.slice(start, end)))
        found.push({ start: range.start + start, end: range.end + start });
    }
    if (depth < MAX_DEPTH && encoded.length > 0) this.#findEncoded(text, encoded, depth, found);
    return found;
  }

  /** Searches in decoded base64. It may begin at any of four characters. */
  #findEncoded(text: string, places: readonly number[], depth: number, found: Range[]): void {
    let done = 0;
    for (const place of places) {
      if (place < done || !isInBase64(text, place)) continue;
      const run = base64Around(text, place);
      done = run.end;
      if (run.text.length < SHORTEST_ENCODED) continue;
      for (let skipped = 0; skipped < 4; skipped++) {
        const bytes = Buffer.from(run.text.slice(skipped), "base64");
        if (!isText(bytes)) continue;
        for (const { start, end } of this.#find(bytes.toString("latin1"), depth + 1)) {
          const first = skipped + Math.floor((start * 8) / 6);
          const last = Math.min(run.text.length, skipped + Math.ceil((end * 8) / 6)) - 1;
          found.push({ start: run.starts[first]!, end: run.ends[last]! });
        }
      }
    }
  }

  #addTo(series: string, value: string): void {
    const values = this.#series.get(series) ?? new Set();
    this.#series.set(series, values);
    if (!values.delete(value)) this.#remember(value);
    values.add(value);
    for (const oldest of values) {
      if (values.size <= keptOf(values)) return;
      values.delete(oldest);
      this.#forget(oldest);
    }
  }

  #remember(value: string): void {
    const count = this.#known.get(value) ?? 0;
    this.#known.set(value, count + 1);
    if (count > 0) return;
    const spellings = spellingsOf(value);
    this.#spellings.add(spellings);
    this.#sift(spellings);
    while (this.#sieve.isFull) this.#siftAll();
  }

  #forget(value: string): void {
    const count = this.#known.get(value)! - 1;
    if (count > 0) {
      this.#known.set(value, count);
      return;
    }
    this.#known.delete(value);
    this.#spellings.remove(spellingsOf(value));
    this.#forgotten += 1;
    if (this.#forgotten > MANY_FORGOTTEN + this.#known.size) this.#siftAll();
  }

  #sift(spellings: ValueSpellings): void {
    for (const [form, isSpelling] of siftedForms(spellings)) this.#sieve.add(form, isSpelling);
    for (const form of spellings.plain) this.#sieve.addEscaped(form);
    for (const { text } of spellings.base64) this.#sieve.addEscaped(text, /[+/]/);
    for (const { text } of spellings.base64.slice(0, BASE64_ONCE)) {
      this.#sieve.addIndented(text);
      if (/[+/]/.test(text)) this.#sieve.addIndented(urlBase64(text));
    }
  }

  #siftAll(): void {
    this.#forgotten = 0;
    this.#sieve.reset();
    for (const value of this.#known.keys()) this.#sift(spellingsOf(value));
  }
}

function isText(bytes: Buffer): boolean {
  return bytes.subarray(0, SAMPLE).every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
}

function keptOf(values: ReadonlySet<string>): number {
  let characters = 0;
  for (const value of values) characters += value.length;
  return characters > MANY_CHARACTERS ? KEPT_OF_LONG_ONES : KEPT_OF_A_SERIES;
}

function cutOut(text: string, ranges: readonly Range[]): string {
  let result = "";
  let position = 0;
  for (const { start, end } of ranges) {
    result += text.slice(position, start) + REPLACEMENT;
    position = end;
  }
  return result + text.slice(position);
}
