// Makes a fresh clone ready: installs the locked dependencies, builds, and with --test brings what tests need.
// Needs nothing but Node and npm; does only what is missing.
import { existsSync, statSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

checkNode();
if (!isInstalled()) {
  console.error("toolkeep: installing dependencies …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}
run(process.execPath, ["scripts/build.mjs"]);
if (process.argv.includes("--test")) {
  const { ensurePostgres } = await import("./postgres.mjs");
  const found = ensurePostgres();
  if (found.missing) console.error(`toolkeep: the PostgreSQL tests are left out: ${found.missing}`);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`toolkeep needs Node 20.19 or later; this is ${process.versions.node}`);
  process.exit(2);
}

/** npm writes its own copy of the lockfile last; an older one belongs to an older install. */
function isInstalled() {
  const marker = "node_modules/.package-lock.json";
  return existsSync(marker) && statSync(marker).mtimeMs >= statSync("package-lock.json").mtimeMs;
}
