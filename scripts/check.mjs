// Read-only: format, lint, types, and the tests that guard each behaviour once. With --deep the long tests alone. `npm run fix` is what rewrites.
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { run, runTool, runToolsTogether } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

const tsc = "typescript/bin/tsc";
// Several would check the same types once each: less time where nothing else runs, a third more CPU in any case.
const one = ["--checkers", "1"];
const isDeep = process.argv.includes("--deep");

run(process.execPath, ["scripts/prepare.mjs", "--test"]);
if (!isDeep)
  await runToolsTogether([
    { name: "format and lint (biome)", path: "@biomejs/biome/bin/biome", args: ["check", "."] },
    { name: "types (tsc)", path: tsc, args: ["--noEmit", ...one, "-p", "tsconfig.json"] },
    {
      name: "types of the dashboard (tsc)",
      path: tsc,
      args: ["--noEmit", ...one, "-p", "dashboard/tsconfig.json"],
    },
  ]);
// See vitest.config.ts.
process.env.TOOLKEEP_TESTS = isDeep ? "deep" : "quick";
runTool("vitest/vitest.mjs", ["run", ...process.argv.slice(2).filter((word) => word !== "--deep")]);
