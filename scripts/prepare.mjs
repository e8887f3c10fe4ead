// Makes a fresh clone ready: installs the locked dependencies, builds, and with --test brings what tests need.
// Needs nothing but Node and npm; does only what is missing.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chdir } from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

chdir(fileURLToPath(new URL("..", import.meta.url)));

/** Holds the hash of what was installed. */
const STAMP = "node_modules/.toolkeep-installed";

checkNode();
if (!isInstalled()) install();
const isForTests = process.argv.includes("--test");
// `scripts/check.mjs` checks the types, of more than is built.
run(process.execPath, ["scripts/build.mjs", ...(isForTests ? ["--unchecked"] : [])]);
if (isForTests) {
  const { ensurePostgres } = await import("./postgres.mjs");
  const found = ensurePostgres();
  if (found.missing) console.error(`toolkeep: the PostgreSQL tests are left out: ${found.missing}`);
  const { ensureChromium } = await import("./chromium.mjs");
  const browser = ensureChromium();
  if (browser.missing) console.error(`toolkeep: the tests with a browser are left out: ${browser.missing}`);
  const { ensureBubblewrap } = await import("./bubblewrap.mjs");
  const { missing } = ensureBubblewrap();
  if (missing) console.error(`toolkeep: the tests of the sandbox are left out: ${missing}`);
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`toolkeep needs Node 20.19 or later; this is ${process.versions.node}`);
  process.exit(2);
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === wanted();
}

/** Exactly what is locked, and the lockfile stays as it is. */
function install() {
  console.error("toolkeep: installing dependencies …");
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
  // Its install script would fetch libraries for CUDA, hundreds of megabytes that nothing here uses.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" };
  run("npm", ["ci", ...quiet], { stdio: ["ignore", "ignore", "inherit"], env });
  writeFileSync(STAMP, wanted());
}

function wanted() {
  const files = ["package.json", "package-lock.json", "dashboard/package.json"];
  return files.reduce((hash, file) => hash.update(readFileSync(file)), createHash("sha256")).digest("hex");
}
