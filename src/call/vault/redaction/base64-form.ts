/**
 * A value inside a longer text in base64. Base64 encodes three bytes at a time, so a value has three forms, by where it
 * begins. `text` has the characters that depend only on the value; those on either side also contain bits of its neighbours.
 */
export interface Base64Form {
  readonly text: string;
  /** How many characters before `text` also contain bits of the value. */
  readonly before: number;
  /** How many characters after it do. */
  readonly after: number;
}

/** The line lengths of base64 in mail and in PEM. */
const COLUMNS = [64, 76];
/** Shorter lines are too likely to occur by chance. */
const SHORTEST_LINE = 16;

export function base64Forms(value: string): Base64Form[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const bits = (offset + bytes.length) * 8;
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(bits / 6);
    return {
      text: encoded.slice(start, end),
      before: start - Math.floor((offset * 8) / 6),
      after: Math.ceil(bits / 6) - end,
    };
  });
  return [...forms, ...linesOf(forms[0]!.text)];
}

/** Each line may occur alone. */
function linesOf(text: string): Base64Form[] {
  return COLUMNS.filter((columns) => text.length > columns)
    .flatMap((columns) => text.match(new RegExp(`.{${SHORTEST_LINE},${columns}}`, "g")) ?? [])
    .map((line) => ({ text: line, before: 0, after: 0 }));
}

/** Converts from the alphabet of URLs to the usual one. */
export function standardBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

export function urlBase64(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_");
}
