/** A value as it may stand in a text: plain, and in every encoding that programs use without being asked to hide anything. */
export function encodedForms(value: string): ReadonlySet<string> {
  const url = encodeURIComponent(wellFormed(value));
  const form = new URLSearchParams({ "": value }).toString().slice(1);
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = base64Forms(value);
  const bytes = Buffer.from(value, "utf8");
  const hex = bytes.toString("hex");
  return new Set([
    value,
    json,
    json.replaceAll("/", "\\/"),
    // A JSON text inside a JSON text.
    JSON.stringify(json).slice(1, -1),
    ...bothCases(url, /%../g),
    form,
    encodeURIComponent(url),
    ...bothCases([...bytes].map((byte) => `%${hexOf(byte, 2)}`).join(""), /%../g),
    ...base64,
    ...base64.map((each) => each.replaceAll("+", "-").replaceAll("/", "_")),
    ...base64.map((each) => encodeURIComponent(each)),
    ...wrapped(base64[0]!),
    hex,
    hex.toUpperCase(),
    ...htmlForms(value),
    ...bothCases(
      units(value, (unit) => `\\u${hexOf(unit, 4)}`),
      /[0-9a-f]{4}/gi,
    ),
    ...bothCases(
      json.replace(/[^ -~]|[&<>'+=]/g, (character) => `\\u${hexOf(character.charCodeAt(0), 4)}`),
      /\\u..../g,
    ),
  ]);
}

/** Half a surrogate pair, which no URL can hold, becomes the replacement character. */
function wellFormed(value: string): string {
  return Buffer.from(value, "utf8").toString("utf8");
}

/** With the digits of its escapes small and great. */
function bothCases(text: string, escapes: RegExp): string[] {
  const lower = (found: string) => found.toLowerCase();
  const upper = (found: string) =>
    found.startsWith("\\u") ? `\\u${found.slice(2).toUpperCase()}` : found.toUpperCase();
  return [text.replace(escapes, upper), text.replace(escapes, lower)];
}

function hexOf(number: number, digits: number): string {
  return number.toString(16).padStart(digits, "0");
}

function units(text: string, write: (unit: number) => string): string {
  return text.replace(/[\s\S]/g, (unit) => write(unit.charCodeAt(0)));
}

const NAMED: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };

/** With the few characters escaped that have to be, in the ways there are to write a quote, and with all of them. */
function htmlForms(value: string): string[] {
  const escaped = value.replace(/[&<>"]/g, (character) => `&${NAMED[character]};`);
  const decimal = [...value].map((character) => `&#${character.codePointAt(0)};`).join("");
  const hex = (upper: boolean) =>
    [...value].map((character) => {
      const digits = hexOf(character.codePointAt(0)!, 1);
      return `&#x${upper ? digits.toUpperCase() : digits};`;
    });
  return [
    ...["'", "&#39;", "&#x27;", "&apos;"].map((quote) => escaped.replaceAll("'", quote)),
    decimal,
    hex(false).join(""),
    hex(true).join(""),
  ];
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

/** Where programs that write base64 for mail or PEM begin a new line. */
const COLUMNS = [64, 76];
/** A last line that is shorter says little, and is found together with the one before it. */
const SHORTEST_LINE = 16;

/** In lines, with either line end; and each line, which may be indented or stand alone. */
function wrapped(base64: string): string[] {
  return COLUMNS.filter((columns) => base64.length > columns).flatMap((columns) => {
    const lines = base64.match(new RegExp(`.{1,${columns}}`, "g"))!;
    const long = lines.filter((line) => line.length >= SHORTEST_LINE);
    return [lines.join("\n"), lines.join("\r\n"), ...long];
  });
}
