// `npm run bench [-- NAME …] [--json]`: builds if needed and runs the benchmarks of bench/, all or those named. Ends
// with 1 when one of them misses a bar of its own.
import { existsSync, readdirSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { run } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

const names = readdirSync("bench", { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".mjs"))
  .map((entry) => entry.name.slice(0, -".mjs".length));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});

const unknown = positionals.filter((name) => !names.includes(name));
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`No benchmark is named ${unknown.join(", ")}.\n`);
  console.log(
    `Usage: npm run bench [-- NAME …] [--json]\n\nBenchmarks: ${names.join(", ")}; all of them without a name.`,
  );
  process.exit(unknown.length > 0 ? 2 : 0);
}

if (existsSync("node_modules/typescript")) run(process.execPath, ["scripts/build.mjs"]);

const results = {};
for (const name of positionals.length > 0 ? positionals : names) {
  const { bench, toMarkdown, missed } = await import(pathToFileURL(`bench/${name}.mjs`).href);
  results[name] = await bench();
  if (!values.json) console.log(toMarkdown(results[name]));
  for (const bar of missed?.(results[name]) ?? []) {
    console.error(`${name}: ${bar}`);
    process.exitCode = 1;
  }
}
if (values.json) console.log(JSON.stringify(results, null, 2));
