/** Every path that one text may mean: as it is written, as a `file:` address, with escapes, with backslashes. */
import { posix } from "node:path";

export interface Spellings {
  readonly all: readonly string[];
  /** False: readers differ in ways that no list of spellings covers, so nothing may be allowed by it. */
  readonly isSure: boolean;
}

/** Decoding more than this often is nobody's reading. */
const MAX_DECODED = 3;
/** What a URL reader drops: blanks and control characters around an address, tabs and line breaks within. */
const AROUND = /^[\0- ]+|[\0- ]+$/g;
const WITHIN = /[\t\n\r]/g;
const FILE = /^file:/i;
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
export const DRIVE = /^[A-Za-z]:[\\/]/;
/** Whether a URL reader takes the text for a `file:` address. */
export function isFileAddress(text: string): boolean {
  return FILE.test(text) || (/^[\0- ]|[\t\n\r]/.test(text.slice(0, 64)) && FILE.test(cleaned(text)));
}

/** Undefined: it may mean anything, such as a file of another machine. */
export function spellingsOf(value: string): Spellings | undefined {
  const found = new Set([value, value.trim()]);
  const isFile = isFileAddress(value);
  if (isFile) {
    const read = fileReadings(cleaned(value));
    if (!read) return undefined;
    for (const text of read) found.add(text);
  }
  for (const text of [...found]) for (const decoded of decodings(text)) found.add(decoded);
  // Found by walking over what is added meanwhile.
  for (const text of found) if (text.includes("\\")) found.add(text.replaceAll("\\", "/"));
  const all = [...found];
  if (all.some((text) => text.includes("\0"))) return undefined;
  return { all, isSure: !isDoubtful(value, isFile) };
}

function isDoubtful(value: string, isFile: boolean): boolean {
  return (
    value !== value.trim() ||
    value.includes("\\") ||
    /^~[^/]/.test(value) ||
    (value.startsWith("~") && value.split("/").includes("..")) ||
    (!isFile && SCHEME.test(value))
  );
}

/** As readers of addresses find the path in one, from the strictest to those that only cut off the scheme. */
function fileReadings(text: string): readonly string[] | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  if (hostname !== "" && hostname !== "localhost") return undefined;
  const rest = text.slice("file:".length);
  const behindSlashes = rest.startsWith("//") ? rest.slice(2) : rest;
  const behindHost = rest.startsWith("//") ? behindSlashes.replace(/^[^/\\?#]*/, "") : rest;
  const cut = [rest, behindSlashes, behindHost].flatMap((each) => [each, each.replace(/[?#].*$/s, "")]);
  return [pathname, ...cut];
}

function cleaned(text: string): string {
  return text.replace(AROUND, "").replace(WITHIN, "");
}

/** Once, and again where that leaves escapes; what is no escape stays, as lenient readers have it. */
function decodings(text: string): readonly string[] {
  const found: string[] = [];
  let last = text;
  for (let round = 0; round < MAX_DECODED && last.includes("%"); round++) {
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, decodedRun);
    if (next === last) break;
    found.push(next);
    last = next;
  }
  return found;
}

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return Buffer.from(run.replaceAll("%", ""), "hex").toString("latin1");
  }
}

/** From the root on, without `..`, `.` and trailing slashes. `~` stands for the home where `userHome` is given. */
export function absolutePath(text: string, start: string, userHome?: string): string {
  const isHome = userHome !== undefined && /^~(?:\/|$)/.test(text);
  return posix.resolve(start, isHome ? userHome + text.slice(1) : text);
}
