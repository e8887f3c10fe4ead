// Compiles src/ to dist/, bundles the program into dist/bundle/ (one file loads in half the time that hundreds take) and
// builds the dashboard into dist/dashboard/.
// `npm start` and `npm test` call it; it does nothing when dist/ is newer than every source. With --unchecked it leaves
// the types to whoever checks them anyway: that is two thirds of the work of tsc.
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./build-dashboard.mjs";
import { newestTime } from "./newest-time.mjs";
import { runTool } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

const BUNDLE = "dist/bundle";
const STAMP = `${BUNDLE}/main.js`;
/** What Fastify loads only where it is not given our own in their place. */
const NOT_USED = ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler"];
const SOURCES = ["src", "scripts/build.mjs", "tsconfig.json", "tsconfig.build.json", "package.json"];

if (!isCurrent()) {
  clear();
  const unchecked = process.argv.includes("--unchecked") ? ["--noCheck"] : [];
  runTool("typescript/bin/tsc", ["-p", "tsconfig.build.json", ...unchecked]);
  await bundle();
}
await buildDashboard();

/** The dashboard is built by itself. */
function clear() {
  if (!existsSync("dist")) return;
  for (const name of readdirSync("dist"))
    if (name !== "dashboard") rmSync(join("dist", name), { recursive: true });
}

function isCurrent() {
  const built = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs;
  return built !== undefined && built > newestTime(SOURCES);
}

/** Native code stays outside; what is imported late becomes a file of its own, and so does what a thread runs. */
async function bundle() {
  const { rolldown } = await import("rolldown");
  const build = await rolldown({
    input: {
      main: "dist/surfaces/cli/main.js",
      "minilm-worker": "dist/machine/text/meaning/minilm/minilm-worker.js",
      "index-thread": "dist/features/knowledge/threads/index-thread.js",
      "sync-worker": "dist/features/knowledge/sync/sync-worker.js",
      "parse-worker": "dist/features/knowledge/parse/parse-worker.js",
    },
    platform: "node",
    // its file for Node asks for its parts by a function's argument, which no bundler can follow
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    external: [/^node:/, /^@photostructure\/sqlite/, /^@parcel\/watcher/, /^pg-native$/, ...NOT_USED],
    logLevel: "silent",
  });
  await build.write({ dir: BUNDLE, format: "esm", sourcemap: true });
  await build.close();
}
