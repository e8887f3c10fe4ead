import { Matcher, type Range } from "./matcher.ts";

/** Shorter values would black out ordinary words. */
const SHORTEST = 6;
const KEPT_OF_A_SERIES = 16;
const REPLACEMENT = "[redacted]";

/**
 * Removes known values from text, also where they stand in base64, in a URL or inside a JSON string. Overlapping
 * finds are removed as one, so that no end of a value is left over.
 */
export class Redaction {
  /** How many known values have a form. */
  readonly #forms = new Map<string, number>();
  readonly #known = new Set<string>();
  /** Of all forms; made anew when it is needed after they changed. */
  #matcher: Matcher | undefined;
  readonly #series = new Map<string, Set<string>>();

  /** Of the values of one `series`, which take each other's place, only the last few are remembered. */
  add(value: string, series?: string): void {
    if (value.length < SHORTEST) return;
    if (series === undefined) this.#remember(value);
    else this.#addTo(series, value);
  }

  apply(text: string): string {
    if (text.length < SHORTEST || this.#forms.size === 0) return text;
    this.#matcher ??= new Matcher(this.#forms.keys());
    const found = this.#matcher.find(text);
    return found.length === 0 ? text : without(text, found);
  }

  #addTo(series: string, value: string): void {
    const values = this.#series.get(series) ?? new Set();
    this.#series.set(series, values);
    // What was known before without a series stays known after it.
    if (!values.delete(value) && this.#known.has(value)) return;
    this.#remember(value);
    values.add(value);
    const [oldest] = values;
    if (values.size > KEPT_OF_A_SERIES && values.delete(oldest!)) this.#forget(oldest!);
  }

  #remember(value: string): void {
    if (this.#known.has(value)) return;
    this.#known.add(value);
    this.#matcher = undefined;
    for (const form of formsOf(value)) this.#forms.set(form, (this.#forms.get(form) ?? 0) + 1);
  }

  #forget(value: string): void {
    this.#known.delete(value);
    this.#matcher = undefined;
    for (const form of formsOf(value)) {
      const count = this.#forms.get(form)! - 1;
      if (count === 0) this.#forms.delete(form);
      else this.#forms.set(form, count);
    }
  }
}

function without(text: string, ranges: Range[]): string {
  ranges.sort((a, b) => a.start - b.start);
  let result = "";
  let position = 0;
  let end = -1;
  for (const range of ranges) {
    if (range.start >= end) {
      if (end >= 0) result += REPLACEMENT;
      result += text.slice(position, range.start);
    }
    end = Math.max(end, range.end);
    position = end;
  }
  return result + REPLACEMENT + text.slice(position);
}

function formsOf(value: string): Set<string> {
  const url = encodeURIComponent(wellFormed(value));
  const base64 = base64Forms(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    url,
    new URLSearchParams({ "": value }).toString().slice(1),
    url.replace(/%../g, (escaped) => escaped.toLowerCase()),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return new Set(forms.filter((form) => form.length >= SHORTEST));
}

/** Half a surrogate pair, which no URL can hold, becomes the replacement character. */
function wellFormed(value: string): string {
  return Buffer.from(value, "utf8").toString("utf8");
}

/**
 * Base64 encodes three bytes at a time, so a value inside a longer text (`user:password` of basic authentication)
 * looks different at each of three offsets. Of each, the characters that depend on the value alone.
 */
function base64Forms(value: string): string[] {
  const whole = Buffer.from(value, "utf8");
  const inside = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), whole]).toString("base64");
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + whole.length) * 8) / 6));
  });
  return [whole.toString("base64"), ...inside];
}
