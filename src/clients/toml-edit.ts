/** Changes single tables of TOML text and leaves every other character as it is. The text has been parsed before. */
import { parse, stringify } from "smol-toml";

/** Writes a table at the end, instead of the one that stood at this path. */
export function setInToml(text: string, path: readonly string[], value: object): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = removeFromToml(text, path);
  const table = path.reduceRight<object>((inner, key) => ({ [key]: inner }), value);
  const written = stringify(table).trim().replaceAll("\n", eol);
  const gap = rest.trim() === "" ? "" : rest.endsWith("\n") ? eol : eol + eol;
  return `${rest}${gap}${written}${eol}`;
}

/** Removes every statement about the table, and the blank line before it. */
export function removeFromToml(text: string, path: readonly string[]): string {
  const concerned = statements(text).filter((statement) => path.every((key, i) => statement.path[i] === key));
  return concerned.reduceRight((rest, { start, end }) => {
    const from = /(?:^|\n)(\r?\n)$/.exec(rest.slice(0, start))?.[1]?.length ?? 0;
    return rest.slice(0, start - from) + rest.slice(end);
  }, text);
}

/** A header or a key with its value; from the start of its line to the start of the next. */
interface Statement {
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

function statements(text: string): Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  let at = skip(text, 0, BLANKS);
  while (at < text.length) {
    const start = text.lastIndexOf("\n", at) + 1;
    const isHeader = text[at] === "[";
    const keyStart = isHeader ? skip(text, at, /\[+[ \t]*/y) : at;
    const { key, end: keyEnd } = keyAt(text, keyStart);
    const path = isHeader ? key : [...table, ...key];
    if (isHeader) table = key;
    const valueEnd = isHeader ? skip(text, keyEnd, /[ \t]*\]+/y) : endOfValue(text, keyEnd);
    const end = skip(text, valueEnd, /[ \t]*(?:#[^\n]*)?(?:\r?\n)?/y);
    found.push({ path, start, end: Math.max(end, at + 1) });
    at = skip(text, Math.max(end, at + 1), BLANKS);
  }
  return found;
}

function keyAt(text: string, start: number): { readonly key: string[]; readonly end: number } {
  const key: string[] = [];
  let at = start;
  for (;;) {
    const part = match(text, at, /"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]+/y);
    if (part === undefined) return { key, end: at };
    key.push(/^["']/.test(part) ? String(parse(`key = ${part}`).key) : part);
    at += part.length;
    const dot = match(text, at, /[ \t]*\.[ \t]*/y);
    if (dot === undefined) return { key, end: at };
    at += dot.length;
  }
}

/** A value may span lines: arrays, and strings in three quotes. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = skip(text, start, /[ \t]*=[ \t]*/y);
  do {
    const token = match(text, at, TOKEN) ?? text[at] ?? "";
    if (token === "[" || token === "{") depth++;
    if (token === "]" || token === "}") depth--;
    at += Math.max(token.length, 1);
  } while (depth > 0 && at < text.length);
  return at;
}

const BLANKS = /(?:\s+|#[^\n]*)+/y;
const STRING = /"""(?:\\[\s\S]|[^\\])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*'/;
const TOKEN = new RegExp(
  `${STRING.source}|\\s+|#[^\\n]*|[^\\s"'#[\\]{},]+(?:[ \\t]+[^\\s"'#[\\]{},]+)*`,
  "y",
);

function skip(text: string, at: number, pattern: RegExp): number {
  return at + (match(text, at, pattern)?.length ?? 0);
}

function match(text: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
