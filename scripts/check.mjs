// Read-only and complete: format, lint, types, tests. `npm run fix` is what rewrites.
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { run, runTool, runToolsTogether } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

const tsc = "typescript/bin/tsc";

run(process.execPath, ["scripts/prepare.mjs", "--test"]);
await runToolsTogether([
  { name: "format and lint (biome)", path: "@biomejs/biome/bin/biome", args: ["check", "."] },
  { name: "types (tsc)", path: tsc, args: ["--noEmit", "-p", "tsconfig.json"] },
  { name: "types of the dashboard (tsc)", path: tsc, args: ["--noEmit", "-p", "dashboard/tsconfig.json"] },
]);
runTool("vitest/vitest.mjs", ["run", ...process.argv.slice(2)]);
