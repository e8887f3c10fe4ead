/** Matches texts that may contain a number beyond 2^53. Most contain none and are not examined further. */
const MAY_BE_LARGE = /\d{16}|\d[eE]\+?\d/;
const NUMBER = /-?\d[\d.eE+-]*/g;
const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** A longer number is not an integer that anybody uses. */
const MAX_DIGITS = 1_000;

/**
 * Like `JSON.parse`, but keeps an integer beyond 2^53 as text if JavaScript would change it: `9007199254740993` becomes
 * `"9007199254740993"`, not 9007199254740992.
 */
export function parseExact(json: string): unknown {
  return JSON.parse(withExactNumbers(json));
}

/** Returns the JSON with numbers that JavaScript cannot represent as texts. Text that is not JSON stays as it is. */
export function withExactNumbers(json: string): string {
  if (!MAY_BE_LARGE.test(json)) return json;
  const exact = changeOutsideStrings(json, (plain) =>
    plain.replace(NUMBER, (number) => (isInexact(number) ? `"${number}"` : number)),
  );
  // Invalid JSON with a number in place of a key must not become valid.
  return exact === json || isJson(json) ? exact : json;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * True for a JSON number that JavaScript would send on as another number. Decimals below 2^53 may be rounded as usual.
 */
export function isInexact(text: string): boolean {
  if (!JSON_NUMBER.test(text)) return false;
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  return (
    text.length > MAX_DIGITS ||
    !Number.isFinite(value) ||
    normaliseDecimal(text) !== normaliseDecimal(String(value))
  );
}

/** Gives each number one spelling, whatever its zeros and exponent. */
function normaliseDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = JSON_NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

/** Written by hand: a regular expression overflows the stack on texts of several megabytes. */
function changeOutsideStrings(json: string, change: (plain: string) => string): string {
  let changed = "";
  let at = 0;
  for (;;) {
    const open = json.indexOf('"', at);
    if (open === -1) return changed + change(json.slice(at));
    const end = findStringEnd(json, open + 1);
    changed += change(json.slice(at, open)) + json.slice(open, end);
    at = end;
  }
}

function findStringEnd(json: string, from: number): number {
  for (let at = from; ; at++) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let escapes = 0;
    while (at - escapes > from && json[at - escapes - 1] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}
