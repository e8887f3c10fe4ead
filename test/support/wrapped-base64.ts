import type { Redaction } from "../../src/call/vault/redaction/redaction.ts";

const BEFORE = "# settings of the service\nUSER=ada\nPASSWORD=".repeat(2);
const AFTER = "\nHOST=db.internal\nMODE=production\n";
/** Narrower lines are not looked for with more than this many blanks before each. */
const NARROW = { columns: 16, blanks: 2 };

export interface Wrap {
  readonly end: string;
  readonly blanks: number;
}

/** What stands between two lines of base64: line ends as they are and as escapes inside JSON, and what the next is indented by. */
export const WRAPS: readonly Wrap[] = ["\n", "\r\n", "\\n"].flatMap((end) =>
  [0, 1, 2, 4, 8].map((blanks) => ({ end, blanks })),
);

/** What is wrong with how a value is taken out of a file in base64 that has it at `offset`, in lines of `width` characters. */
export function problemInBase64(
  redaction: Redaction,
  value: string,
  offset: number,
  width: number | undefined,
  { end, blanks }: Wrap,
): string | undefined {
  if (width !== undefined && width < NARROW.columns && blanks > NARROW.blanks) return undefined;
  const before = BEFORE.slice(0, offset);
  for (const encoding of ["base64", "base64url"] as const) {
    const encoded = Buffer.from(before + value + AFTER).toString(encoding);
    const from = Math.floor((Buffer.byteLength(before) * 8) / 6);
    const to = Math.ceil((Buffer.byteLength(before + value) * 8) / 6);
    const lines = width === undefined ? [encoded] : encoded.match(new RegExp(`.{1,${width}}`, "g"))!;
    const text = redaction.apply(lines.join(end + " ".repeat(blanks)));
    const kept = text.split("[redacted]").map((part) => part.replaceAll("\\n", "").replace(/\s/g, ""));
    if (kept.length !== 2 || kept[0] !== encoded.slice(0, from) || kept[1] !== encoded.slice(to))
      return `${encoding} offset ${offset} width ${width} ${JSON.stringify(end)} blanks ${blanks}`;
  }
  return undefined;
}
