/**
 * A value inside a text in base64, which encodes three bytes at a time: so there are three ways it can look. Of each, the
 * characters that depend on the value alone; those at its sides hold the rest of it together with bits of its neighbours.
 */
export interface Base64Form {
  readonly text: string;
  /** How many characters before `text` hold bits of the value, too. */
  readonly before: number;
  /** How many after it. */
  readonly after: number;
}

/** Where programs that write base64 for mail or PEM begin a new line. */
const COLUMNS = [64, 76];
/** Shorter lines say little. */
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

/** Each line may stand alone. */
function linesOf(text: string): Base64Form[] {
  return COLUMNS.filter((columns) => text.length > columns)
    .flatMap((columns) => text.match(new RegExp(`.{${SHORTEST_LINE},${columns}}`, "g")) ?? [])
    .map((line) => ({ text: line, before: 0, after: 0 }));
}

/** The characters that stand for `-` and `_` in URLs, as they are otherwise. */
export function standardBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

export function urlBase64(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_");
}
