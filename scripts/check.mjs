// Read-only and complete: format, lint, types, tests. `npm run fix` is what rewrites.
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { run, runTool } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

run(process.execPath, ["scripts/prepare.mjs", "--test"]);
runTool("@biomejs/biome/bin/biome", ["check", "."]);
runTool("typescript/bin/tsc", ["--noEmit", "-p", "tsconfig.json"]);
runTool("typescript/bin/tsc", ["--noEmit", "-p", "dashboard/tsconfig.json"]);
runTool("vitest/vitest.mjs", ["run", ...process.argv.slice(2)]);
