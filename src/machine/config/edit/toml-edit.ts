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

/** Sets one value: in its place where it stands, else in its table, else in a new table at the end. */
export function setValueInToml(text: string, path: readonly string[], value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const all = statements(text);
  const [key = "", table] = [path.at(-1), path.slice(0, -1)];
  const there = all.find((statement) => statement.value && isSame(statement.path, path));
  const assignment = stringify({ [key]: value }).trim();
  if (there?.value) {
    const written = assignment.slice(assignment.indexOf("=") + 1).trim();
    return text.slice(0, there.value.start) + written + text.slice(there.value.end);
  }
  const header = all.findLast((statement) => !statement.value && isSame(statement.path, table));
  if (table.length > 0 && !header) {
    return setInToml(text, table, { [key]: value });
  }
  // Keys before the first header belong to no table.
  const firstHeader = all.findIndex((statement) => !statement.value);
  const before = header ?? all.slice(0, firstHeader === -1 ? all.length : firstHeader).at(-1);
  const at = before?.end ?? 0;
  const gap = at === 0 || text[at - 1] === "\n" ? "" : eol;
  return `${text.slice(0, at)}${gap}${assignment}${eol}${text.slice(at)}`;
}

function isSame(path: readonly string[], other: readonly string[]): boolean {
  return path.length === other.length && path.every((key, index) => key === other[index]);
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
  /** The position of its value; absent for a header. */
  readonly value?: { readonly start: number; readonly end: number };
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
    const value = { start: skip(text, keyEnd, /[ \t]*=[ \t]*/y), end: valueEnd };
    found.push({ path, start, end: Math.max(end, at + 1), ...(!isHeader && { value }) });
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
