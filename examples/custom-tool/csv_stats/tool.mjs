// A custom tool of Toolkeep: arguments on standard input, one JSON object on standard output, an exit code other than 0
// with the reason on standard error. It runs in the workspace of the agent that calls it. See docs/custom-tools.md.
import { readFile, realpath, stat } from "node:fs/promises";
import { sep } from "node:path";
import { text } from "node:stream/consumers";
import { parseCsv } from "./parse-csv.mjs";

const { path, column } = JSON.parse(await text(process.stdin));
const [header = [], ...rows] = parseCsv(await readFile(await inWorkspace(path), "utf8"));
const index = header.indexOf(column);
if (index === -1) fail(`${path} has no column ${JSON.stringify(column)}; it has ${header.join(", ")}`);

const cells = rows.map((row) => (row[index] ?? "").trim());
const numbers = cells.filter((cell) => cell !== "" && Number.isFinite(Number(cell))).map(Number);
console.log(
  JSON.stringify({ rows: rows.length, skipped: cells.length - numbers.length, ...statistics(numbers) }),
);

function statistics(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const count = sorted.length;
  if (count === 0) return { count, min: null, max: null, mean: null, median: null };
  const middle = (sorted[Math.floor((count - 1) / 2)] + sorted[Math.ceil((count - 1) / 2)]) / 2;
  const mean = sorted.reduce((sum, each) => sum + each, 0) / count;
  return { count, min: sorted[0], max: sorted[count - 1], mean, median: middle };
}

/** Where the file really is. The script may read whatever its user may; an agent only what is in its workspace. */
async function inWorkspace(file) {
  const real = await realpath(file).catch(() => fail(`there is no file ${file}`));
  if (!real.startsWith((await realpath(".")) + sep)) fail(`${file} is outside the workspace`);
  const { size } = await stat(real);
  const limit = Number(process.env.MAX_MEGABYTES) * 1024 ** 2;
  if (size > limit) fail(`${file} has ${size} bytes; at most ${limit} are read`);
  return real;
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
