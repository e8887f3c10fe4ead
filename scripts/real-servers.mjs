// `npm run test:servers [-- NAME …]`: real servers from npm, reached as Toolkeep reaches any server: connected, listed, called once.
// They are large, so they are installed when first needed, into $TOOLKEEP_SERVERS_DIR (or a folder beside the system's temporary files).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startScript } from "./real-servers/installed.mjs";
import { fillFolder, SERVERS } from "./real-servers/servers.mjs";
import { run } from "./run.mjs";

const CALL_MS = 60_000;
const LISTEN_MS = 30_000;
const STOP_MS = 5_000;

await main(process.argv.slice(2));

async function main(names) {
  const wanted = SERVERS.filter(
    ({ spec }) => names.length === 0 || names.some((name) => spec.includes(name)),
  );
  if (wanted.length === 0) {
    console.error(
      `No server's package contains ${names.join(" or ")}; there are:\n${SERVERS.map(({ spec }) => spec).join("\n")}`,
    );
    process.exit(2);
  }
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const counts = { passed: 0, failed: 0 };
  console.log(line("server", "version", "era", "transport", "tools", "ready", "call"));
  for (const server of wanted) {
    const seen = await attempt(server).catch((error) => ({ problem: firstLine(error) }));
    counts[seen.problem ? "failed" : "passed"] += 1;
    print(server, seen);
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

/** One server in a hub, a home and a folder of its own. */
async function attempt(server) {
  const missing = server.missing?.();
  if (missing) return { problem: missing };
  const script = await startScript(server.spec);
  const folder = await mkdtemp(join(tmpdir(), "toolkeep-real-"));
  await fillFolder(folder);
  const port = server.serves ? String(await freePort()) : undefined;
  const place = { folder, port };
  const command = {
    command: process.execPath,
    args: [script, ...(server.args?.(place) ?? [])],
    env: server.env?.(place) ?? {},
    cwd: folder,
  };
  const remote = server.serves ? await startRemote(command, port) : undefined;
  try {
    const input = remote
      ? { transport: server.serves.transport, url: `http://127.0.0.1:${port}${server.serves.path}` }
      : command;
    const seen = await connectAndCall(server, input, place);
    await remote?.stop();
    const left = await processesIn(folder);
    return left.length === 0 ? seen : { ...seen, problem: `it left processes behind: ${left.join(", ")}` };
  } finally {
    await remote?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function connectAndCall(server, input, place) {
  const hub = await openHub(place.folder);
  try {
    return await connectAndCallIn(hub, server, input, place);
  } finally {
    await hub.close();
  }
}

async function connectAndCallIn(hub, server, input, place) {
  const startedAt = performance.now();
  await hub.upstream.add("real", input);
  await hub.upstream.settled();
  const ready = performance.now() - startedAt;
  const { state, era, transport, toolCount, lastError } = hub.upstream.server("real");
  const seen = { era: era?.version, transport, tools: toolCount, ready };
  if (lastError !== null) return { ...seen, problem: `it is ${state}: ${lastError}` };

  const [ownName, given] = server.call;
  const tool = hub.upstream.tools().find((candidate) => candidate.ownName === ownName);
  if (!tool) return { ...seen, problem: `it has no tool ${ownName}` };
  const outcome = await hub.callTool({
    name: tool.name,
    arguments: typeof given === "function" ? given(place) : given,
    caller: hub.identity.operatorCaller("real servers"),
    via: "library",
    signal: AbortSignal.timeout(CALL_MS),
  });
  const answer = `${ownName}: ${outcome.outcome}, ${shown(outcome.text, 60)}`;
  return { ...seen, answer, problem: problemOf(outcome, server) };
}

/** Undefined when the answer is one that only this server can have given. */
function problemOf({ outcome, text }, { says, orSays }) {
  if (outcome === "ok" && (orSays || text.includes(says))) return undefined;
  if (outcome === "failed" && orSays?.test(text)) return undefined;
  return `expected ${orSays ?? JSON.stringify(says)}; got ${outcome}, ${shown(text, 300)}`;
}

function shown(text, length) {
  const oneLine = text.replaceAll(/\s+/g, " ").trim();
  return JSON.stringify(oneLine.length > length ? `${oneLine.slice(0, length)}…` : oneLine);
}

async function openHub(folder) {
  const { createHub, loadSettings } = await import("../dist/index.js");
  const home = join(folder, ".toolkeep");
  const env = { PATH: process.env.PATH, HOME: folder, TOOLKEEP_HOME: home, TOOLKEEP_DEFAULT_RULES: "false" };
  const loaded = await loadSettings({ cwd: folder, env, isTrusted: async () => false });
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
  return await createHub({ loaded, version, env });
}

/** A server that listens by itself, once it does. */
async function startRemote({ command, args, env, cwd }, port) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr = (stderr + chunk).slice(-2000);
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await once(child, "exit");
    clearTimeout(force);
  };
  for (const deadline = performance.now() + LISTEN_MS; !(await accepts(port)); await delay(50)) {
    if (performance.now() < deadline && child.exitCode === null) continue;
    await stop();
    throw new Error(`it does not listen on port ${port}: ${stderr.trim()}`);
  }
  return { stop };
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** What still runs in a folder, browsers of servers included; only where the system has /proc. */
async function processesIn(folder) {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return pids.filter((_, index) => folders[index].startsWith(folder));
}

function print({ spec }, { era, transport, tools, ready, answer, problem }) {
  const at = spec.lastIndexOf("@");
  const time = ready === undefined ? "" : `${(ready / 1000).toFixed(1)} s`;
  const cells = [
    spec.slice(0, at),
    spec.slice(at + 1),
    era ?? "",
    transport ?? "",
    String(tools ?? ""),
    time,
  ];
  console.log(line(...cells, `${problem ? "✗" : "✓"} ${answer ?? "no call"}`));
  if (problem) console.log(`  ${problem}`);
}

function line(...cells) {
  const widths = [50, 10, 10, 9, 5, 7, 0];
  return cells.map((cell, index) => cell.padEnd(widths[index])).join("  ");
}

function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}
