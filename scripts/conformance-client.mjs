// `npm run conformance:client [-- SCENARIO …]`: the official conformance suite against Toolkeep as a client, every
// required scenario of both revisions.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSuite, REVISIONS } from "./conformance/suite.mjs";
import { run } from "./run.mjs";

const CLIENT = fileURLToPath(new URL("conformance/client.mjs", import.meta.url));
/** The suite starts all clients of a revision at once; they take turns, which counts too. */
const SCENARIO_MS = 300_000;

/** Required scenarios that are known to fail, by revision and name, with the reason. */
const EXCEPTIONS = {};

await main(process.argv.slice(2));

async function main(names) {
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const suite = await openSuite();
  const counts = { passed: 0, failed: 0 };
  for (const revision of REVISIONS) {
    const results =
      names.length === 0
        ? await inTurns((env) => runRevision(suite, revision, env))
        : await runScenarios(suite, revision, names);
    report(revision, results, counts);
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

function report(revision, { scored, unscored, output }, counts) {
  console.log(`\n${revision}`);
  if (scored.length === 0) {
    counts.failed += 1;
    console.log(`✗ the suite did not run:\n${output.trim().slice(-2000)}`);
  }
  for (const { name, ok, summary } of scored) {
    const excuse = EXCEPTIONS[`${revision} ${name}`];
    counts[ok || excuse ? "passed" : "failed"] += 1;
    console.log(`${ok ? "✓" : excuse ? "~" : "✗"} ${name}: ${summary}${excuse ? ` (known: ${excuse})` : ""}`);
  }
  if (unscored.length > 0) console.log("not required, not counted:");
  for (const { name, ok, summary } of unscored) console.log(`  ${ok ? "✓" : "✗"} ${name}: ${summary}`);
}

/** A folder with a file for each client that may run at the same time; one who takes a file has the turn. */
async function inTurns(work) {
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-conformance-turns-"));
  try {
    for (let turn = 0; turn < availableParallelism(); turn++)
      await writeFile(join(folder, `turn-${turn}`), "");
    return await work({ ...process.env, TOOLKEEP_CONFORMANCE_TURNS: folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runRevision(suite, revision, env) {
  const output = await suite(["client", "--requirements", revision, ...clientOptions()], { env });
  const [scenarios = "", rest = ""] = output.split(/^Not scored for .*$/m);
  const optional = new Set([...rest.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const all = [...scenarios.matchAll(/^([✓✗]) (\S+): (.+)$/gm)].map(([, mark, name, summary]) => ({
    name,
    ok: mark === "✓",
    summary,
  }));
  return {
    scored: all.filter(({ name }) => !optional.has(name)),
    unscored: all.filter(({ name }) => optional.has(name)),
    output,
  };
}

/** Some scenarios only, one after another, with everything the suite has to say about those that fail. */
async function runScenarios(suite, revision, names) {
  const scored = [];
  for (const name of names) {
    const options = ["--scenario", name, "--spec-version", revision, "--force", ...clientOptions()];
    const output = await suite(["client", ...options]);
    const ok = output.includes("OVERALL: PASSED");
    const counted = /^Passed: .*$/m.exec(output)?.[0] ?? "did not run";
    scored.push({ name, ok, summary: ok ? counted : `${counted}\n${output.trim()}` });
  }
  return { scored, unscored: [], output: "" };
}

function clientOptions() {
  return ["--command", `"${process.execPath}" "${CLIENT}"`, "--timeout", String(SCENARIO_MS)];
}
