// Compiles src/ to dist/. `npm start` and `npm test` call it; it does nothing when dist/ is newer than every source.
import { rmSync, statSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { newestTime } from "./newest-time.mjs";
import { runTool } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

const STAMP = "dist/index.js";

if (!isCurrent()) {
  rmSync("dist", { recursive: true, force: true });
  runTool("typescript/bin/tsc", ["-p", "tsconfig.build.json"]);
}

function isCurrent() {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs;
  return (
    built !== undefined && built > newestTime(["src", "tsconfig.json", "tsconfig.build.json", "package.json"])
  );
}
