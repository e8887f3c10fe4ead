/** Every path that one text may mean: as written, as a `file:` address, with escapes, with backslashes. */
import { posix } from "node:path";

export interface Spellings {
  readonly all: readonly string[];
  /** False: readers differ in ways that no list of spellings covers, so nothing may be allowed by it. */
  readonly isCertain: boolean;
}

/** No reader decodes more often. */
const MAX_DECODE_ROUNDS = 3;
/** What a URL reader drops: blanks and control characters around an address, tabs and line breaks within. */
const AROUND = /^[\0- ]+|[\0- ]+$/g;
const WITHIN = /[\t\n\r]/g;
const FILE = /^file:/i;
const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
export const DRIVE = /^[A-Za-z]:[\\/]/;
/** Whether a URL reader takes the text for a `file:` address. */
export function isFileAddress(text: string): boolean {
  return FILE.test(text) || (/^[\0- ]|[\t\n\r]/.test(text.slice(0, 64)) && FILE.test(cleanAddress(text)));
}

/** Undefined: it may mean anything, such as a file on another machine. */
export function spellingsOf(value: string): Spellings | undefined {
  const spellings = new Set([value, value.trim()]);
  const isFile = isFileAddress(value);
  if (isFile) {
    const read = fileReadings(cleanAddress(value));
    if (!read) return undefined;
    for (const text of read) spellings.add(text);
  }
  for (const text of [...spellings]) for (const decoded of decodings(text)) spellings.add(decoded);
  // The loop also visits what it adds.
  for (const text of spellings) if (text.includes("\\")) spellings.add(text.replaceAll("\\", "/"));
  const all = [...spellings];
  if (all.some((text) => text.includes("\0"))) return undefined;
  return { all, isCertain: !isAmbiguous(value, isFile) };
}

function isAmbiguous(value: string, isFile: boolean): boolean {
  return (
    value !== value.trim() ||
    value.includes("\\") ||
    /^~[^/]/.test(value) ||
    (value.startsWith("~") && value.split("/").includes("..")) ||
    (!isFile && SCHEME.test(value))
  );
}

/** The paths that readers find in an address, from the strictest reader to one that only cuts off the scheme. */
function fileReadings(text: string): readonly string[] | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  if (hostname !== "" && hostname !== "localhost") return undefined;
  const rest = text.slice("file:".length);
  const afterSlashes = rest.startsWith("//") ? rest.slice(2) : rest;
  const afterHost = rest.startsWith("//") ? afterSlashes.replace(/^[^/\\?#]*/, "") : rest;
  const cut = [rest, afterSlashes, afterHost].flatMap((each) => [each, each.replace(/[?#].*$/s, "")]);
  return [pathname, ...cut];
}

function cleanAddress(text: string): string {
  return text.replace(AROUND, "").replace(WITHIN, "");
}

/** Decodes repeatedly while escapes are left; invalid escapes stay, as lenient readers leave them. */
function decodings(text: string): readonly string[] {
  const found: string[] = [];
  let last = text;
  for (let round = 0; round < MAX_DECODE_ROUNDS && last.includes("%"); round++) {
    const next = last.replace(/(?:%[0-9a-f]{2})+/gi, decodeRun);
    if (next === last) break;
    found.push(next);
    last = next;
  }
  return found;
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return Buffer.from(run.replaceAll("%", ""), "hex").toString("latin1");
  }
}

/** From the root, without `..`, `.` and trailing slashes. `~` stands for the home where `userHome` is given. */
export function absolutePath(text: string, start: string, userHome?: string): string {
  const isHome = userHome !== undefined && /^~(?:\/|$)/.test(text);
  return posix.resolve(start, isHome ? userHome + text.slice(1) : text);
}
