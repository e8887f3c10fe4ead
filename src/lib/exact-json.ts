/** What may be a number beyond 2^53: most texts hold none, and are not looked at any further. */
const MAY_BE_LARGE = /\d{16}|\d[eE]\+?\d/;
const NUMBER = /-?\d[\d.eE+-]*/g;
const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Longer numbers are nobody's integer. */
const MAX_DIGITS = 1_000;

/**
 * As `JSON.parse`, but a number beyond 2^53 that would become another one is the text of its digits: `9007199254740993`
 * is read as `"9007199254740993"`, not as 9007199254740992.
 */
export function parseExact(json: string): unknown {
  return JSON.parse(withExactNumbers(json));
}

/** The same JSON with the numbers that JavaScript cannot hold as texts; what is no JSON stays as it is. */
export function withExactNumbers(json: string): string {
  if (!MAY_BE_LARGE.test(json)) return json;
  const exact = outsideTexts(json, (plain) =>
    plain.replace(NUMBER, (number) => (isInexact(number) ? `"${number}"` : number)),
  );
  // A number in the place of a key must not become a key.
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

/** Whether this is a JSON number that would be sent on as another number. Decimals below 2^53 are rounded as everywhere. */
export function isInexact(text: string): boolean {
  if (!JSON_NUMBER.test(text)) return false;
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  return text.length > MAX_DIGITS || !Number.isFinite(value) || decimal(text) !== decimal(String(value));
}

/** One spelling for each number, whatever its zeros and exponent. */
function decimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = JSON_NUMBER.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

/** By hand: a regular expression for texts of megabytes runs out of stack. */
function outsideTexts(json: string, change: (plain: string) => string): string {
  let changed = "";
  let at = 0;
  for (;;) {
    const open = json.indexOf('"', at);
    if (open === -1) return changed + change(json.slice(at));
    const end = endOfText(json, open + 1);
    changed += change(json.slice(at, open)) + json.slice(open, end);
    at = end;
  }
}

function endOfText(json: string, from: number): number {
  for (let at = from; ; at++) {
    at = json.indexOf('"', at);
    if (at === -1) return json.length;
    let escapes = 0;
    while (at - escapes > from && json[at - escapes - 1] === "\\") escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}
