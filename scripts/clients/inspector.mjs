import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { installed, nodeOf } from "../installed.mjs";
import { command, lacks, mustRun, output } from "./command.mjs";
import { freshHome } from "./connected.mjs";
import { LONG_TOOL, TOOL } from "./conversation.mjs";
import { mcpdoChecks } from "./mcpdo.mjs";
import { CACHE, INSPECTOR, NODE_22 } from "./packages.mjs";
import { callsOf, mannersOf, startWire } from "./wire.mjs";

const WRONG_TOKEN = "tk_sk_this-token-was-never-made";

export async function inspectorChecks(stage) {
  const { daemon } = stage;
  const home = await freshHome(stage.home, "inspector");
  const node = await nodeOf([22, 19], NODE_22, CACHE);
  const folder = await installed(INSPECTOR, CACHE);
  const entry = join(folder, "clients/launcher/build/index.js");
  await mustRun(node, [entry, "--cli"], stage);
  const env = { PATH: process.env.PATH, HOME: home };
  const inspect = (target, ...args) => output(node, [entry, "--cli", ...args, ...target], { env });
  const both = (target, era) => () =>
    listAndCall((...args) => inspect(target, "--protocol-era", era, ...args));
  const list = ["--method", "tools/list"];
  const stdio = [
    "-e",
    `TOOLKEEP_HOME=${daemon.env.TOOLKEEP_HOME}`,
    "-e",
    `TOOLKEEP_TOKEN=${daemon.token}`,
    process.execPath,
    daemon.bin,
    "stdio",
  ];
  return {
    "lists and calls over HTTP, legacy era": () => overHttp(daemon, "legacy", inspect),
    "lists and calls over HTTP, modern era": () => overHttp(daemon, "modern", inspect),
    "lists and calls over HTTP, era negotiated": () => overHttp(daemon, "auto", inspect),
    "lists and calls over stdio, legacy era": both(stdio, "legacy"),
    "lists and calls over stdio, modern era": both(stdio, "modern"),
    "lists and calls what toolkeep connect claude-desktop wrote": async () =>
      both(await desktopEntry(daemon, home), "legacy")(),
    "is refused without a token": async () =>
      lacks(await inspect(http(daemon.url), "--stored-auth-only", ...list), "auth_required"),
    "is refused with a wrong token": async () =>
      lacks(await inspect(http(daemon.url, WRONG_TOKEN), "--stored-auth-only", ...list), "auth_required"),
    ...offerChecks(daemon, inspect),
    ...addressChecks(daemon, inspect),
    ...mcpdoChecks(stage, { node, entry: join(folder, "clients/mcpdo/build/mcp-bin.js") }),
  };
}

function http(url, token) {
  const header = token ? ["--header", `Authorization: Bearer ${token}`] : [];
  return ["--server-url", url, "--transport", "http", ...header];
}

/** Over the wire, so that the call is also seen where it arrives. */
async function overHttp(daemon, era, inspect) {
  const wire = await startWire(daemon.url);
  try {
    const target = http(wire.url, daemon.token);
    const problem = await listAndCall((...args) => inspect(target, "--protocol-era", era, ...args));
    const calls = callsOf(wire.exchanges);
    console.log(`· ${mannersOf(wire.exchanges)}`);
    return problem ?? (calls.length === 1 ? undefined : `expected one call at /mcp, came ${calls.length}`);
  } finally {
    await wire.close();
  }
}

async function listAndCall(inspect) {
  const nonce = `nonce-${randomUUID()}`;
  const call = ["--method", "tools/call", "--tool-name", TOOL, "--tool-arg", `message=${nonce}`];
  return (
    lacks(await inspect("--method", "tools/list"), TOOL) ?? lacks(await inspect(...call), `Echo: ${nonce}`)
  );
}

/** What a server offers besides tools. */
function offerChecks(daemon, inspect) {
  return inBothEras("reads a resource and a prompt", async (era) => {
    const ask = (...args) =>
      inspect(http(daemon.url, daemon.token), "--protocol-era", era, "--method", ...args);
    return (
      lacks(await ask("resources/list"), "demo://resource/static/document/features.md") ??
      lacks(await ask("resources/read", "--uri", "demo://resource/dynamic/text/7"), "Resource 7") ??
      lacks(await ask("prompts/list"), "everything_args_prompt") ??
      lacks(
        await ask("prompts/get", "--prompt-name", "everything_args_prompt", "--prompt-args", "city=Uppsala"),
        "Uppsala",
      )
    );
  });
}

/** The addresses that give less than `/mcp`. */
function addressChecks(daemon, inspect) {
  const ask = (path, era, ...args) =>
    inspect(http(daemon.url + path, daemon.token), "--protocol-era", era, "--method", ...args);
  return {
    ...inBothEras("calls a tool by its server's own name at /mcp/server/everything", async (era) =>
      lacks(
        await ask(
          "/server/everything",
          era,
          "tools/call",
          "--tool-name",
          "echo",
          "--tool-arg",
          "message=hello",
        ),
        "Echo: hello",
      ),
    ),
    ...inBothEras("sees the tools of one toolbox at /mcp/narrow", async (era) => {
      await daemon.toolkeep("toolbox", "create", "narrow", TOOL).catch(() => "it was made in the other era");
      await daemon.toolkeep("agent", "edit", "main", "--toolbox", "narrow");
      const list = await ask("/narrow", era, "tools/list");
      return lacks(list, TOOL) ?? (list.includes(LONG_TOOL) ? `${LONG_TOOL} is listed there too` : undefined);
    }),
  };
}

function inBothEras(what, attempt) {
  return Object.fromEntries(["legacy", "modern"].map((era) => [`${what}, ${era} era`, () => attempt(era)]));
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
