import { oneLine, printable } from "./printable.ts";

export type Cell = string | number | boolean | null | undefined;

const GAP = "  ";

/** Formats aligned columns under their headings. Cuts the last column at the terminal's width. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  columns: number,
): string {
  const cells = [headings, ...rows.map((row) => row.map(cellText))];
  const widths = headings.map((_, index) => Math.max(...cells.map((row) => row[index]!.length)));
  return cells.map((row) => `${cut(alignedRow(row, widths), columns)}\n`).join("");
}

/** Formats a heading and whole texts below it, which are never cut. */
export function texts(heading: string, bodies: readonly string[]): string {
  const lines = bodies.flatMap((body) => printable(body).split("\n"));
  return `${heading}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** Formats `name: value` lines with aligned values. Leaves out entries without a value. */
export function fields(pairs: readonly (readonly [string, Cell])[]): string {
  const present = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const width = Math.max(...present.map(([name]) => name.length)) + 1;
  return present.map(([name, value]) => `${`${name}:`.padEnd(width)} ${cellText(value)}\n`).join("");
}

function cellText(value: Cell): string {
  if (value === null || value === undefined || value === "") return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return oneLine(String(value));
}

function alignedRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, index) => cell.padEnd(widths[index]!))
    .join(GAP)
    .trimEnd();
}

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}
