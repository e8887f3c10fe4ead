/**
 * A whole plugin: two tools that look into CSV files. Try it:
 *
 *   toolkeep plugin add ./examples/plugin --yes
 *   toolkeep call plugin_tables_columns path=sales.csv
 *
 * It runs in a process of its own, in the workspace of the agent that calls, and can read nothing else: package.json
 * declares `"files": "read"`, and Node holds it to that. TypeScript authors get the types of what is exported here, and
 * of `context`, from "toolkeep/plugin".
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseCsv } from "./csv.js";

const path = { type: "string", description: "The CSV file, relative to the workspace." };

export const tools = [
  {
    name: "columns",
    description:
      "Lists the columns of a CSV file: how many values each has and, of numbers, their range and mean.",
    inputSchema: { type: "object", properties: { path }, required: ["path"], additionalProperties: false },
    // Believed only where a person enabled the plugin as trusted: a wrong word here would loosen a rule.
    flags: { readOnly: true, concurrencySafe: true },
    async run({ path }, context) {
      const { header, rows } = await readTable(path, context);
      const columns = header.map((name, index) =>
        described(
          name,
          rows.map((row) => row[index] ?? ""),
        ),
      );
      // An object becomes text for the model and structured content for programs.
      return { rows: rows.length, columns };
    },
  },
  {
    name: "select",
    description:
      "Gives rows of a CSV file as objects: those where a column has a value, sorted, at most `limit`.",
    inputSchema: {
      type: "object",
      properties: {
        path,
        column: { type: "string", description: "Only rows where this column …" },
        equals: { type: "string", description: "… has this value." },
        sortBy: { type: "string", description: "A column; numbers sort as numbers." },
        limit: { type: "integer", minimum: 1, maximum: 1000, default: 20 },
      },
      required: ["path"],
      additionalProperties: false,
    },
    flags: { readOnly: true, concurrencySafe: true },
    async run({ path, column, equals, sortBy, limit = 20 }, context) {
      const { header, rows } = await readTable(path, context);
      for (const name of [column, sortBy]) {
        // What is thrown is what the model reads, so it says what to do.
        if (name !== undefined && !header.includes(name))
          throw new Error(`there is no column ${JSON.stringify(name)}; there are ${header.join(", ")}`);
      }
      const objects = rows.map((row) =>
        Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""])),
      );
      const found = column === undefined ? objects : objects.filter((row) => row[column] === equals);
      if (sortBy !== undefined) found.sort((a, b) => compare(a[sortBy], b[sortBy]));
      return { found: found.length, rows: found.slice(0, limit) };
    },
  },
];

async function readTable(path, { workspace, signal, progress }) {
  progress({ progress: 0, message: `reading ${path}` });
  // The signal aborts when the caller gives up; whatever takes it stops then.
  const text = await readFile(resolve(workspace, path), { encoding: "utf8", signal });
  const [header = [], ...rows] = parseCsv(text);
  return { header, rows };
}

function described(name, values) {
  const filled = values.filter((value) => value !== "");
  const numbers = filled.map(Number);
  if (filled.length === 0 || numbers.some(Number.isNaN))
    return { name, values: filled.length, distinct: new Set(filled).size };
  const sum = numbers.reduce((total, number) => total + number, 0);
  // Not Math.min(...numbers): a long file has more of them than a call takes arguments.
  const [min, max] = numbers.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  return { name, values: filled.length, min, max, mean: sum / numbers.length };
}

function compare(a, b) {
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? (a < b ? -1 : a > b ? 1 : 0) : difference;
}
