// `npm run conformance:server [-- OPTIONS] [-- SCENARIO …]`: the official conformance suite against the gateway, with a
// server of our own behind it (conformance/fixture-server.mjs): the required scenarios of both revisions, in front of
// a modern and of a legacy server, over stdio and over HTTP.
//   --direct             against the fixture itself, without the gateway: what fails here is the fixture's fault
//   --upstream NAME      only this server behind the gateway (modern-stdio, modern-http, legacy-stdio, legacy-http)
//   --revision REVISION  only this revision
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openSuite, REVISIONS, serverScenarios } from "./conformance/suite.mjs";
import { startTokenProxy } from "./conformance/token-proxy.mjs";
import { startLocalDaemon } from "./local-daemon.mjs";
import { run } from "./run.mjs";

const FIXTURE = fileURLToPath(new URL("conformance/fixture-server.mjs", import.meta.url));
const SERVER = "conformance";
const MESSAGE_CHARS = 600;
/**
 * Run before anything counts. A legacy server does not say whose call a question is about: until it has asked once, all
 * conversations share a connection, and on one that several have used a question is refused (docs/connections.md).
 * And the suite gives some calls half a second, in which no process starts: of a server that asks, one for a call that
 * can be asked and one for a call that cannot are running then.
 */
const WARM_UP = [
  { revision: "2025-11-25", names: ["tools-call-elicitation"] },
  { revision: "2026-07-28", names: ["tasks-mrtr-composition", "tasks-required-task-error"] },
];
/** Scenarios with such limits get a second run where they fail, and the output says so: a busy machine is no fault. */
const TIMED = new Set(["server-stateless"]);

const UPSTREAMS = [
  { name: "modern-stdio", era: "modern", over: "stdio" },
  { name: "modern-http", era: "modern", over: "HTTP" },
  { name: "legacy-stdio", era: "legacy", over: "stdio" },
  { name: "legacy-http", era: "legacy", over: "HTTP" },
];
/** The fixture alone. A legacy server has nothing to say in 2026-07-28. */
const DIRECT = [
  { era: "both", revisions: REVISIONS },
  { era: "legacy", revisions: ["2025-11-25"] },
];

/**
 * What a legacy server cannot express, by revision and scenario: the one check that may fail, and what it then says.
 * It must fail so, and nothing else may: an exception that passes is an error, so that the list stays true.
 */
const LEGACY_EXCEPTIONS = {
  "2026-07-28": {
    "input-required-result-basic-elicitation": {
      check: "sep-2322-elicitation-incomplete",
      says: 'inputRequests missing expected key "user_name"',
      reason:
        "wants the question under the key `user_name`; a question of 2025-11-25 has no key, so the gateway makes one",
    },
    "input-required-result-ignore-extra-params": {
      check: "sep-2322-ignore-unexpected-params",
      says: "Server did not return complete result when valid inputResponses were provided",
      reason:
        "answers under the key `user_name` before it was asked; which question that is, 2025-11-25 cannot say",
    },
  },
};

await main();

async function main() {
  const { values, positionals: names } = parseArgs({
    allowPositionals: true,
    options: { direct: { type: "boolean" }, upstream: { type: "string" }, revision: { type: "string" } },
  });
  const suite = await openSuite();
  const counts = { passed: 0, failed: 0 };
  if (values.direct) await runDirect(suite, { ...values, names }, counts);
  else await runThroughGateway(suite, { ...values, names }, counts);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

async function runDirect(suite, { revision, names }, counts) {
  for (const { era, revisions } of DIRECT) {
    const fixture = await startFixture(era);
    try {
      for (const each of revisions.filter((one) => one === (revision ?? one))) {
        const result = await serverScenarios(suite, { url: fixture.url, revision: each, names });
        report(`${each}, the ${era === "both" ? "fixture" : "legacy fixture"} itself`, result, {}, counts);
      }
    } finally {
      await fixture.stop();
    }
  }
}

async function runThroughGateway(suite, { upstream, revision, names }, counts) {
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const chosen = UPSTREAMS.filter(({ name }) => name === (upstream ?? name));
  for (const { era, over } of chosen) {
    const gateway = await startGateway(era, over);
    try {
      for (const each of REVISIONS.filter((one) => one === (revision ?? one))) {
        const result = await twice(suite, { url: gateway.url, revision: each, names });
        const exceptions = era === "legacy" ? (LEGACY_EXCEPTIONS[each] ?? {}) : {};
        report(`${each}, through the gateway, ${era} server over ${over}`, result, exceptions, counts);
      }
    } finally {
      await gateway.stop();
    }
  }
}

async function warmUp(suite, { url }) {
  for (const each of WARM_UP) await serverScenarios(suite, { url, ...each });
}

async function twice(suite, options) {
  await warmUp(suite, options);
  const first = await serverScenarios(suite, options);
  const late = first.scenarios.filter(({ name, checks }) => TIMED.has(name) && !judged(checks).ok);
  if (late.length === 0) return first;
  const names = late.map(({ name }) => name);
  console.log(`\nfailed with limits of half a second, run a second time: ${names.join(", ")}`);
  await warmUp(suite, options);
  const second = await serverScenarios(suite, { ...options, names });
  const scenarios = first.scenarios.map(
    (one) => second.scenarios.find(({ name }) => name === one.name) ?? one,
  );
  return { ...first, scenarios };
}

/** Fixture, daemon and the proxy that adds the token, as one thing with an address. */
async function startGateway(era, over) {
  const stops = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const fixture = over === "HTTP" ? await startFixture(era) : undefined;
    if (fixture) stops.push(fixture.stop);
    const server = fixture ? { url: fixture.url } : { command: process.execPath, args: [FIXTURE, era] };
    // Scenarios change what the fixture publishes and want to see it at once, without a person who accepts it.
    const servers = { [SERVER]: { ...server, pin: false } };
    const daemon = await startLocalDaemon({ servers, grants: ["mcp:*"] });
    stops.push(daemon.stop);
    const proxy = await startTokenProxy(`${daemon.url}/server/${SERVER}`, daemon.token);
    stops.push(proxy.stop);
    return { url: proxy.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startFixture(era) {
  const child = spawn(process.execPath, [FIXTURE, era, "--http"], { stdio: ["ignore", "pipe", "inherit"] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  const [line] = await Promise.race([once(child.stdout.setEncoding("utf8"), "data"), once(child, "exit")]);
  if (typeof line !== "string") throw new Error(`the fixture ended before it listened (exit code ${line})`);
  return { url: line.trim(), stop };
}

function report(title, { scenarios, output }, exceptions, counts) {
  console.log(`\n${title}`);
  if (!scenarios.some(({ checks }) => checks))
    console.log(`the suite did not run:\n${output.trim().slice(-2000)}`);
  for (const { name, checks } of scenarios.filter(({ required }) => required))
    reportRequired(name, checks, exceptions[name], counts);
  const others = scenarios.filter(({ required }) => !required);
  if (others.length > 0) console.log("not required, not counted:");
  for (const { name, checks } of others) {
    const { ok, bad, summary } = judged(checks);
    console.log(`  ${ok ? "✓" : bad.length > 0 ? "✗" : "–"} ${name}: ${summary}`);
  }
}

function reportRequired(name, checks, exception, counts) {
  const { ok, summary, bad } = judged(checks);
  if (exception && checks && isOnlyWhatIsExcepted(bad, exception)) {
    console.log(`~ ${name}: cannot be expressed, not counted: ${exception.reason}`);
    return;
  }
  const isStale = exception !== undefined && ok;
  counts[ok && !isStale ? "passed" : "failed"] += 1;
  console.log(`${ok && !isStale ? "✓" : "✗"} ${name}: ${summary}`);
  if (isStale) console.log("    listed as an exception, but it passes: take it off the list");
  for (const { id, status, errorMessage = "" } of bad)
    console.log(`    ${status.toLowerCase()} ${id}: ${errorMessage.slice(0, MESSAGE_CHARS)}`);
}

/** A warning is a "should" that was not done: it counts like a failure here, though not for the suite. */
function judged(checks = []) {
  const count = (status) => checks.filter((check) => check.status === status).length;
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const summary = `${count("SUCCESS")} passed, ${count("FAILURE")} failed, ${count("WARNING")} warnings`;
  const ok = bad.length === 0 && count("SUCCESS") > 0;
  const isSkipped = bad.length === 0 && count("SUCCESS") === 0;
  return { ok, bad, summary: isSkipped ? "did not run" : summary };
}

function isOnlyWhatIsExcepted(bad, { check, says }) {
  return bad.length === 1 && bad[0].id === check && bad[0].errorMessage?.startsWith(says);
}
