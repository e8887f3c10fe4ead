import type { ParsedDocument } from "./parsed-document.ts";
import { TextBuilder } from "./text-builder.ts";

const MAX_ROWS = 50_000;
const MAX_COLUMNS = 200;
const MAX_CELL = 10_000;

/** A table: each row becomes a line of its cells, each with the name of its column. */
export function parseCsv(source: string, separator = separatorOf(source)): ParsedDocument {
  const out = new TextBuilder();
  let names: readonly string[] | undefined;
  let count = 0;
  for (const cells of csvRows(source, separator)) {
    if (!names) {
      names = cells;
      out.line(cells.join(" | "));
      continue;
    }
    const named = cells.map((cell, index) => cell && (names![index] ? `${names![index]}: ${cell}` : cell));
    out.line(named.filter((cell) => cell !== "").join(" | "));
    if (++count >= MAX_ROWS || out.isFull) break;
  }
  const metadata = {
    rows: count,
    ...(names && { columns: names.slice(0, 50).map((name) => name.slice(0, 100)) }),
  };
  return { title: "", type: "csv", tags: [], metadata, ...out.build() };
}

/** RFC 4180, and what programs make of it. In proportion to the length of `source`. */
export function* csvRows(source: string, separator: string): Generator<readonly string[]> {
  let cells: string[] = [];
  let at = 0;
  while (at < source.length) {
    const { cell, next } =
      source[at] === '"' ? quotedCell(source, at, separator) : plainCell(source, at, separator);
    if (cells.length < MAX_COLUMNS) cells.push(cell.slice(0, MAX_CELL).replace(/\s+/g, " ").trim());
    const mark = source[next];
    at = next + 1;
    if (mark === separator) continue;
    if (mark === "\r" && source[at] === "\n") at += 1;
    if (cells.some((one) => one !== "")) yield cells;
    cells = [];
  }
  if (cells.some((one) => one !== "")) yield cells;
}

interface Cell {
  readonly cell: string;
  /** The position of the separator after it. */
  readonly next: number;
}

function plainCell(source: string, start: number, separator: string): Cell {
  let next = start;
  for (; next < source.length; next++) {
    const mark = source[next];
    if (mark === separator || mark === "\n" || mark === "\r") break;
  }
  return { cell: source.slice(start, next), next };
}

function quotedCell(source: string, start: number, separator: string): Cell {
  const pieces: string[] = [];
  let from = start + 1;
  for (;;) {
    const quote = source.indexOf('"', from);
    if (quote < 0) return { cell: pieces.join("") + source.slice(from), next: source.length };
    pieces.push(source.slice(from, quote));
    if (source[quote + 1] !== '"') {
      // Text between the closing quote and the separator is ignored.
      return { cell: pieces.join(""), next: plainCell(source, quote + 1, separator).next };
    }
    pieces.push('"');
    from = quote + 2;
  }
}

/** The separator that occurs most often in the first line. */
function separatorOf(source: string): string {
  const line = source.slice(0, 10_000).split("\n", 1)[0]!;
  const count = (mark: string) => line.split(mark).length;
  return [",", ";", "\t", "|"].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}
