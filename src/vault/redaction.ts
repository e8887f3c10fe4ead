import { Matcher, type Range } from "./matcher.ts";
import { SHORTEST_REDACTED, valueForms } from "./value-forms.ts";

const KEPT_OF_A_SERIES = 16;
/** Of a series with more characters than that, only a few. */
const MANY_CHARACTERS = 16_384;
const KEPT_OF_LONG_ONES = 5;
const REPLACEMENT = "[redacted]";

/**
 * Removes known values from text, also where they stand in an encoding that is in common use. Overlapping
 * finds are removed as one, so that no end of a value is left over.
 */
export class Redaction {
  readonly #matcher = new Matcher();
  /** In how many places each is known: for good, or in a series. */
  readonly #known = new Map<string, number>();
  readonly #forGood = new Set<string>();
  /** The oldest of each first. */
  readonly #series = new Map<string, Set<string>>();

  /** Of the values of one `series`, which take each other's place, only the last few are remembered. */
  add(value: string, series?: string): void {
    if (value.length < SHORTEST_REDACTED) return;
    if (series !== undefined) this.#addTo(series, value);
    else if (!this.#forGood.has(value)) {
      this.#forGood.add(value);
      this.#remember(value);
    }
  }

  /** The values of a series go on in another one, as its newest; nothing is kept of the first. */
  move(series: string, into: string): void {
    const values = this.#series.get(series) ?? [];
    this.#series.delete(series);
    for (const value of values) {
      this.#addTo(into, value);
      this.#forget(value);
    }
  }

  apply(text: string): string {
    if (text.length < SHORTEST_REDACTED) return text;
    const found = this.#matcher.find(text);
    return found.length === 0 ? text : without(text, found);
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
    if (count === 0) for (const form of valueForms(value)) this.#matcher.add(form);
  }

  #forget(value: string): void {
    const count = this.#known.get(value)! - 1;
    if (count > 0) {
      this.#known.set(value, count);
      return;
    }
    this.#known.delete(value);
    for (const form of valueForms(value)) this.#matcher.remove(form);
  }
}

function keptOf(values: ReadonlySet<string>): number {
  let characters = 0;
  for (const value of values) characters += value.length;
  return characters > MANY_CHARACTERS ? KEPT_OF_LONG_ONES : KEPT_OF_A_SERIES;
}

function without(text: string, ranges: readonly Range[]): string {
  let result = "";
  let position = 0;
  for (const { start, end } of ranges) {
    result += text.slice(position, start) + REPLACEMENT;
    position = end;
  }
  return result + text.slice(position);
}
