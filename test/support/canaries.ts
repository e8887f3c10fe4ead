import { randomBytes } from "node:crypto";

/** Secrets planted in known places, and a nose for them. */
export class Canaries {
  readonly #cores = new Map<string, string>();

  /** A value for `place` with characters that every encoding writes in its own way. */
  plant(place: string): string {
    const core = randomBytes(12).toString("hex");
    this.#cores.set(place, core);
    return `cnry/${place}+${core}=&x`;
  }

  /** A value that has to have a shape of its own. */
  plantAs(place: string, value: string): string {
    this.#cores.set(place, value);
    return value;
  }

  get places(): string[] {
    return [...this.#cores.keys()];
  }

  /** The places whose value, or either half of it, is in `text`: plain, in a URL, in JSON, base64, hex or escapes. */
  foundIn(text: string): string[] {
    return [...this.#cores]
      .filter(([, core]) => formsOf(core).some((form) => text.includes(form)))
      .map(([place]) => place);
  }
}

function formsOf(core: string): string[] {
  const middle = Math.ceil(core.length / 2);
  return [core.slice(0, middle), core.slice(middle)].flatMap((half) => [
    half,
    encodeURIComponent(half),
    ...[Buffer.from(half).toString("hex"), Buffer.from(half).toString("hex").toUpperCase()],
    [...half].map((each) => `&#${each.charCodeAt(0)};`).join(""),
    [...half].map((each) => `\\u00${each.charCodeAt(0).toString(16)}`).join(""),
    ...base64Of(half),
    ...base64Of(half).map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ]);
}

/** What base64 makes of a text wherever it begins, without the characters that depend on its neighbours. */
function base64Of(text: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${"x".repeat(offset)}${text}`).toString("base64");
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + text.length) * 8) / 6));
  });
}
