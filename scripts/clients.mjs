// `npm run test:clients [-- NAME …]`: real MCP clients against a daemon of this tree. The clients are large, so they
// are installed when first needed, into $TOOLKEEP_CLIENTS_DIR (or a folder beside the system's temporary files).
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed, nodeOf } from "./installed.mjs";
import { packagedServer, startLocalDaemon } from "./local-daemon.mjs";
import { run } from "./run.mjs";

const CACHE = process.env.TOOLKEEP_CLIENTS_DIR ?? join(tmpdir(), "toolkeep-clients");
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const CLAUDE_CODE = "@anthropic-ai/claude-code@2.1.325";
const CODEX = "@openai/codex@0.166.0";
const GEMINI = "@google/gemini-cli@0.61.0";
const OPENCODE = "opencode-ai@1.18.33";
const NODE_22 = `node-${process.platform}-${process.arch}@22.23.3`;

const TOOL = "mcp_everything_echo";
const WRONG_TOKEN = "tk_sk_this-token-was-never-made";

const CLIENTS = {
  inspector: inspectorChecks,
  "claude-code": claudeCodeChecks,
  codex: codexChecks,
  gemini: geminiChecks,
  opencode: opencodeChecks,
};

await main(process.argv.slice(2));

async function main(names) {
  const unknown = names.filter((name) => !(name in CLIENTS));
  if (unknown.length > 0) {
    console.error(`No client is named ${unknown.join(", ")}; there are: ${Object.keys(CLIENTS).join(", ")}.`);
    process.exit(2);
  }
  run(process.execPath, [fileURLToPath(new URL("build.mjs", import.meta.url))]);
  const daemon = await startLocalDaemon({
    servers: { everything: packagedServer("everything", "stdio") },
    grants: [TOOL],
  });
  const home = await mkdtemp(join(tmpdir(), "toolkeep-client-home-"));
  const counts = { passed: 0, failed: 0 };
  try {
    for (const name of names.length > 0 ? names : Object.keys(CLIENTS))
      await check(name, daemon, home, counts);
  } finally {
    await daemon.stop();
    await rm(home, { recursive: true, force: true });
  }
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

async function check(name, daemon, home, counts) {
  let checks;
  try {
    checks = await CLIENTS[name](daemon, home);
  } catch (error) {
    console.log(`- ${name}: left out, it could not be installed: ${firstLine(error)}`);
    return;
  }
  for (const [what, attempt] of Object.entries(checks)) {
    const problem = await attempt().catch((error) => firstLine(error));
    counts[problem ? "failed" : "passed"] += 1;
    console.log(problem ? `✗ ${name}: ${what}\n  ${problem}` : `✓ ${name}: ${what}`);
  }
}

async function inspectorChecks(daemon, home) {
  const node = await nodeOf([22, 19], NODE_22, CACHE);
  const entry = join(await installed(INSPECTOR, CACHE), "clients/launcher/build/index.js");
  const inspect = (target, ...args) =>
    output(node, [entry, "--cli", ...args, ...target], { env: { PATH: process.env.PATH, HOME: home } });
  const http = (token) => [
    "--server-url",
    daemon.url,
    "--transport",
    "http",
    ...(token ? ["--header", `Authorization: Bearer ${token}`] : []),
  ];
  const { TOOLKEEP_HOME } = daemon.env;
  const stdio = [
    "-e",
    `TOOLKEEP_HOME=${TOOLKEEP_HOME}`,
    "-e",
    `TOOLKEEP_TOKEN=${daemon.token}`,
    process.execPath,
    daemon.bin,
    "stdio",
  ];
  const list = ["--method", "tools/list"];
  const desktop = async (...args) =>
    inspect(await desktopEntry(daemon, home), "--protocol-era", "legacy", ...args);
  const call = ["--method", "tools/call", "--tool-name", TOOL, "--tool-arg", "message=hello"];

  const both = (target, era) => async () =>
    lacks(await inspect(target, "--protocol-era", era, ...list), TOOL) ??
    lacks(await inspect(target, "--protocol-era", era, ...call), "Echo: hello");
  return {
    "lists and calls over HTTP, legacy era": both(http(daemon.token), "legacy"),
    "lists and calls over HTTP, modern era": both(http(daemon.token), "modern"),
    "lists and calls over HTTP, era negotiated": both(http(daemon.token), "auto"),
    "lists and calls over stdio, legacy era": both(stdio, "legacy"),
    "lists and calls over stdio, modern era": both(stdio, "modern"),
    "lists and calls what toolkeep connect claude-desktop wrote": async () =>
      lacks(await desktop(...list), TOOL) ?? lacks(await desktop(...call), "Echo: hello"),
    "is refused without a token": async () =>
      lacks(await inspect(http(), "--stored-auth-only", ...list), "auth_required"),
    "is refused with a wrong token": async () =>
      lacks(await inspect(http(WRONG_TOKEN), "--stored-auth-only", ...list), "auth_required"),
  };
}

async function claudeCodeChecks(daemon, home) {
  const entry = join(await installed(CLAUDE_CODE, CACHE), "cli-wrapper.cjs");
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const claude = (...args) => output(process.execPath, [entry, ...args], { env, cwd: home });
  const fresh = await freshHome(home, "claude-code");
  const add = (name, token) =>
    claude(
      "mcp",
      "add",
      "--transport",
      "http",
      name,
      daemon.url,
      "--header",
      `Authorization: Bearer ${token}`,
    );
  const stateOf = async (name) => {
    const line = (await claude("mcp", "list")).split("\n").find((one) => one.startsWith(`${name}:`));
    return line ?? `claude mcp list does not show ${name}`;
  };
  return {
    "shows Toolkeep connected": async () => {
      await add("toolkeep", daemon.token);
      return lacks(await stateOf("toolkeep"), "✔ Connected", "✓ Connected");
    },
    "does not connect with a wrong token": async () => {
      await add("wrong", WRONG_TOKEN);
      const state = await stateOf("wrong");
      return /✔|✓/.test(state) ? state : undefined;
    },
    ...connectChecks("claude-code", daemon, fresh, {
      list: () =>
        output(process.execPath, [entry, "mcp", "list"], { env: { ...env, HOME: fresh }, cwd: fresh }),
      isConnected: (list) => lacks(list, "✔ Connected", "✓ Connected"),
    }),
  };
}

async function codexChecks(daemon, home) {
  const bin = join(await installed(CODEX, CACHE), "bin/codex.js");
  const env = { PATH: process.env.PATH, HOME: home };
  return connectChecks("codex", daemon, home, {
    list: () => output(process.execPath, [bin, "mcp", "list"], { env, cwd: home }),
    // Codex connects with the first session only; the list shows how it would.
    isConnected: (list) => lacks(list, "Bearer token"),
  });
}

async function geminiChecks(daemon, home) {
  const bin = join(await installed(GEMINI, CACHE), "bundle/gemini.js");
  const env = { PATH: process.env.PATH, HOME: home, GEMINI_CLI_TRUST_WORKSPACE: "true" };
  return connectChecks("gemini", daemon, home, {
    list: () => output(process.execPath, [bin, "mcp", "list"], { env, cwd: home }),
    isConnected: (list) => lacks(list, "Connected"),
  });
}

async function opencodeChecks(daemon, home) {
  const bin = join(await installed(OPENCODE, CACHE), "../.bin/opencode");
  const env = { PATH: process.env.PATH, HOME: home };
  return connectChecks("opencode", daemon, home, {
    list: () => output(bin, ["mcp", "list"], { env, cwd: home }),
    isConnected: (list) => lacks(list, "✓ toolkeep"),
  });
}

/** Where nothing of an earlier check can be mistaken for what this one is about. */
async function freshHome(home, name) {
  const fresh = join(home, name);
  await mkdir(fresh, { recursive: true });
  return fresh;
}

/** What every client does after `toolkeep connect`, and no longer does after `--undo`. */
function connectChecks(id, daemon, home, { list, isConnected }) {
  const env = { ...daemon.env, HOME: home };
  const connect = (...args) =>
    command(process.execPath, [daemon.bin, "connect", id, ...args], { env, cwd: home });
  return {
    [`is connected by toolkeep connect ${id}`]: async () => {
      await connect();
      const shown = await list();
      return lacks(shown, "toolkeep") ?? isConnected(shown);
    },
    [`forgets Toolkeep by toolkeep connect ${id} --undo`]: async () => {
      await connect("--undo");
      const shown = await list();
      return shown.includes(daemon.url) ? `still shown: ${shown.slice(0, 600)}` : undefined;
    },
  };
}

/** How Claude Desktop, which cannot be installed here, would start Toolkeep: as options of the Inspector. */
async function desktopEntry(daemon, home) {
  const env = { ...daemon.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
  const connected = await command(process.execPath, [daemon.bin, "connect", "claude-desktop", "--json"], {
    env,
    cwd: home,
  });
  const { mcpServers } = JSON.parse(await readFile(JSON.parse(connected).file, "utf8"));
  const { command: program, args, env: variables } = mcpServers.toolkeep;
  return [
    ...Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    program,
    ...args,
  ];
}

/** All that a client prints, whether it succeeds or not: a refusal is also an answer to look at. */
async function output(file, args, options) {
  return command(file, args, options).catch(
    (error) => `${error.stdout ?? ""}${error.stderr ?? ""}${error.message}`,
  );
}

function command(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { timeout: 300_000, maxBuffer: 64 * 1024 * 1024, ...options },
      (error, stdout, stderr) => {
        if (error) reject(Object.assign(error, { stdout, stderr }));
        else resolve(stdout + stderr);
      },
    );
    child.stdin?.end();
  });
}

/** Undefined when one of `wanted` is in the text, else what is there instead. */
function lacks(text, ...wanted) {
  if (wanted.some((one) => text.includes(one))) return undefined;
  return `expected ${wanted.join(" or ")}; got: ${text.trim().slice(0, 600)}`;
}

function firstLine(error) {
  return String(error?.message ?? error).split("\n")[0];
}
