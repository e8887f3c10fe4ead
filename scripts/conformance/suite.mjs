// The official conformance suite as a command: installed when first needed, with the Node it needs, into
// $TOOLKEEP_CONFORMANCE_DIR (or a folder beside the system's temporary files).
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installed, nodeOf } from "../installed.mjs";

const CACHE = process.env.TOOLKEEP_CONFORMANCE_DIR ?? join(tmpdir(), "toolkeep-conformance");
const SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";
const NODE_22 = `node-${process.platform}-${process.arch}@22.23.3`;

export const REVISIONS = ["2025-11-25", "2026-07-28"];

/** Runs the suite with `args` and gives all it prints, whether it succeeds or not; errors come first. */
export async function openSuite() {
  const entry = join(await installed(SUITE, CACHE), "dist/index.js");
  const node = await nodeOf([22, 0], NODE_22, CACHE);
  return (args, options) => command(node, [entry, ...args], options);
}

/**
 * The server scenarios of a revision against `url`, or only those in `names`. Each comes with its checks; `required`
 * says whether the revision requires it, and `checks` is undefined where the suite did not get to it.
 */
export async function serverScenarios(suite, { url, revision, names }) {
  const required = await requiredOf(suite, revision);
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-conformance-results-"));
  const common = ["server", "--url", url, "--output-dir", folder];
  try {
    let output = "";
    if (names.length === 0) output = await suite([...common, "--requirements", revision]);
    for (const name of names)
      output += await suite([...common, "--scenario", name, "--spec-version", revision, "--force"]);
    const results = await resultsIn(folder);
    const wanted = names.length === 0 ? new Set([...required, ...results.keys()]) : new Set(names);
    return {
      scenarios: [...wanted].map((name) => ({
        name,
        required: required.has(name),
        checks: results.get(name),
      })),
      output,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requiredOf(suite, revision) {
  const output = await suite(["list", "--requirements", revision]);
  const section = /^Server scenarios .*:\n((?: {2}- \S+\n)+)/m.exec(output)?.[1] ?? "";
  return new Set([...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name));
}

/** The suite names a folder `server-SCENARIO-TIME`. */
async function resultsIn(folder) {
  const results = new Map();
  for (const entry of await readdir(folder)) {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
    const text = await readFile(join(folder, entry, "checks.json"), "utf8").catch(() => undefined);
    if (name && text) results.set(name, JSON.parse(text));
  }
  return results;
}

/** `onText` is told all that came so far, whenever more came. */
function command(file, args, { onText = () => {}, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    const printed = { stderr: "", stdout: "" };
    for (const name of ["stderr", "stdout"])
      child[name].setEncoding("utf8").on("data", (text) => {
        printed[name] += text;
        onText(printed.stdout);
      });
    child.on("error", reject).on("close", () => resolve(`${printed.stderr}\n${printed.stdout}`));
  });
}
