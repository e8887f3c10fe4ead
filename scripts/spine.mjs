// `npm run spine`: which files of src/ a tools/call really runs through, by precise coverage of the daemon while it serves one call: from a legacy
// and from a modern client, to a server behind a pipe and to one behind HTTP. `--functions` names what ran in each file; `--check` ends with 1 where a
// file outside lib/ ran that ARCHITECTURE.md does not list, or where one is listed that did not run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { packagedServer } from "./local-daemon.mjs";
import { run } from "./run.mjs";

const ROUNDS = 12;
const DIST = pathToFileURL(fileURLToPath(new URL("../dist/", import.meta.url))).href;

const { values: options } = parseArgs({
  options: { functions: { type: "boolean" }, json: { type: "boolean" }, check: { type: "boolean" } },
});
run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
const spine = await measure();
if (options.json) console.log(JSON.stringify(spine, null, 2));
else print(spine);
if (options.check) await compareWithArchitecture(spine);

async function measure() {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-spine-"));
  const remote = await startRemote();
  const servers = { pipe: packagedServer("everything"), remote: { type: "http", url: remote.url } };
  await writeFile(join(home, "config.json"), JSON.stringify({ log_level: "error", mcpServers: servers }));
  const { startDaemon } = await import(`${DIST}surfaces/daemon/start-daemon.js`);
  const { createLog } = await import(`${DIST}surfaces/daemon/log/log.js`);
  const env = { ...process.env, TOOLKEEP_HOME: home, TOOLKEEP_PORT: "0" };
  const daemon = await startDaemon({
    ...{
      env,
      cwd: home,
      log: createLog({ level: "error" }),
      version: "0",
      clock: Date.now,
      firstStart: true,
    },
  });
  try {
    const { token, agent } = daemon.firstStart;
    await grant(daemon, home, agent);
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const measured = {};
    for (const era of ["legacy", "modern"])
      for (const server of ["pipe", "remote"]) {
        const call = await caller(era, daemon.url, token, `mcp_${server}_echo`);
        for (let i = 0; i < 3; i++) await call();
        measured[`${era} → ${server}`] = await covered(session, call);
      }
    session.disconnect();
    return measured;
  } finally {
    await daemon.close();
    remote.child.kill();
    await rm(home, { recursive: true, force: true });
  }
}

async function startRemote() {
  const { command, args } = packagedServer("everything", "streamableHttp");
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(command, args, {
    env: { ...process.env, PORT: `${port}` },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await once(child.stderr, "data");
  child.stderr.resume();
  return { child, url: `http://127.0.0.1:${port}/mcp` };
}

async function grant(daemon, home, agent) {
  const { token } = JSON.parse(await readFile(join(home, "daemon.json"), "utf8"));
  const api = (method, path, body) =>
    fetch(`${daemon.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).then((answer) => answer.json());
  for (const name of ["pipe", "remote"]) await api("POST", `/servers/${name}/test`, {});
  await api("PATCH", `/agents/${agent}`, { grants: ["mcp_pipe_echo", "mcp_remote_echo"] });
}

/** One call as a client of that era makes it, over a connection that is kept. */
async function caller(era, url, token, tool) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = async (body, more = {}) => {
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
    return { answer, text: await answer.text() };
  };
  const client = { name: "spine", version: "1" };
  const params = { name: tool, arguments: { message: "hello" } };
  let more = {};
  if (era === "legacy") {
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client };
    const { answer } = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello });
    more = { "mcp-session-id": answer.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-11-25" };
    await post({ jsonrpc: "2.0", method: "notifications/initialized" }, more);
  } else {
    more = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool };
    params._meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": client,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
  }
  let id = 1;
  return async () => {
    const { text } = await post({ jsonrpc: "2.0", id: ++id, method: "tools/call", params }, more);
    if (!text.includes("hello")) throw new Error(`the call failed: ${text.slice(0, 500)}`);
  };
}

/** What ran in every one of several rounds: timers that fired beside one of them do not count. */
async function covered(session, call) {
  let common;
  for (let round = 0; round < ROUNDS; round++) {
    await session.post("Profiler.takePreciseCoverage");
    await call();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ran = new Map();
    for (const { url, functions } of result) {
      if (!url.startsWith(DIST)) continue;
      const names = functions
        .filter(({ ranges }) => ranges[0].count > 0)
        .map(({ functionName }) => functionName || "(anonymous)");
      if (names.length > 0) ran.set(url.slice(DIST.length).replace(/\.js$/, ".ts"), names);
    }
    common = common === undefined ? ran : new Map([...common].filter(([file]) => ran.has(file)));
  }
  return Object.fromEntries([...common].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function print(measured) {
  const all = new Map();
  for (const [way, files] of Object.entries(measured))
    for (const [file, names] of Object.entries(files))
      all.set(file, [...(all.get(file) ?? []), { way, names }]);
  const ways = Object.keys(measured);
  for (const [file, seen] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const marks = ways.map((way) => (seen.some((one) => one.way === way) ? "x" : "·")).join(" ");
    console.log(
      `${marks}  ${file}${options.functions ? `  ${[...new Set(seen.flatMap(({ names }) => names))].join(" ")}` : ""}`,
    );
  }
  const outside = (files) => Object.keys(files).filter((file) => !file.startsWith("lib/")).length;
  for (const [way, files] of Object.entries(measured))
    console.log(`${way}: ${Object.keys(files).length} files, ${outside(files)} of them outside lib/`);
  console.log(
    `all: ${all.size} files, ${[...all.keys()].filter((file) => !file.startsWith("lib/")).length} of them outside lib/`,
  );
}

/** The tables of ARCHITECTURE.md and what ran have to name the same files. */
async function compareWithArchitecture(measured) {
  const page = await readFile(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");
  const section = page.split("### The files of that path")[1].split("\n## ")[0];
  const listed = new Set([...section.matchAll(/^\| `src\/([^`]+\.ts)` \|/gm)].map((match) => match[1]));
  const ran = new Set(
    Object.values(measured)
      .flatMap(Object.keys)
      .filter((file) => !file.startsWith("lib/")),
  );
  const unlisted = [...ran].filter((file) => !listed.has(file));
  const idle = [...listed].filter((file) => !ran.has(file));
  for (const file of unlisted) console.error(`${file} runs in a call, and ARCHITECTURE.md does not list it`);
  for (const file of idle) console.error(`ARCHITECTURE.md lists ${file}, which does not run in a call`);
  if (unlisted.length + idle.length > 0) process.exitCode = 1;
}
