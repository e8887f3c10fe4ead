import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installed } from "../installed.mjs";
import { lacks, mustRun, output } from "./command.mjs";
import { connectChecks, freshHome } from "./connected.mjs";
import { callChecks, connectHome, questionCheck, restartCheck, sessionCheck } from "./conversation.mjs";
import { knowledgeCheck } from "./knowledge.mjs";
import { CACHE, CLAUDE_CODE } from "./packages.mjs";

const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
const WRONG_TOKEN = "tk_sk_this-token-was-never-made";

export async function claudeCodeChecks(stage) {
  const entry = join(await installed(CLAUDE_CODE, CACHE), "cli-wrapper.cjs");
  await mustRun(process.execPath, [entry], stage);
  const drive = driveClaude(stage, entry);
  const old = { legacyOnly: true };
  return {
    ...(await listChecks(stage, entry)),
    ...knowledgeCheck(stage, driveWithConfig(entry)),
    ...callChecks(stage, "", drive),
    ...callChecks(stage, ", legacy era", drive, old),
    ...restartCheck(stage, drive),
    ...sessionCheck(stage, ", legacy era", drive, old),
    ...questionCheck(stage, "", drive),
    ...questionCheck(stage, ", legacy era", drive, old),
  };
}

/** Headless, with the settings of `toolkeep connect`; a hook answers where the server asks for `answer`. */
function driveClaude(stage, entry) {
  return async ({ url, model, home, answer }) => {
    await connectHome(stage, "claude-code", { home, url });
    const settings = join(home, "headless.json");
    await writeFile(settings, JSON.stringify(answer ? { hooks: { Elicitation: [answering(answer)] } } : {}));
    const args = ["-p", "Call the tool.", "--allowedTools", "mcp__toolkeep", "--settings", settings];
    return output(process.execPath, [entry, ...args], { cwd: home, env: headless(home, model) });
  };
}

/** Headless, with the servers of a file and no others. */
function driveWithConfig(entry) {
  return async ({ model, home, config }) => {
    const args = ["-p", "Call the tools.", "--allowedTools", "mcp__hoard", "--mcp-config", config];
    const all = [entry, ...args, "--strict-mcp-config"];
    return output(process.execPath, all, { cwd: home, env: headless(home, model) });
  };
}

function headless(home, model) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "no-key",
    // Else the tools of servers are only found by a search of Claude Code's own.
    ENABLE_TOOL_SEARCH: "false",
    ...QUIET,
  };
}

function answering(answer) {
  const hookSpecificOutput = { hookEventName: "Elicitation", action: "accept", content: { answer } };
  const command = `cat > /dev/null; echo '${JSON.stringify({ hookSpecificOutput })}'`;
  return { matcher: "", hooks: [{ type: "command", command }] };
}

async function listChecks({ daemon, home }, entry) {
  const env = { PATH: process.env.PATH, HOME: home, ...QUIET };
  const claude = (...args) => output(process.execPath, [entry, ...args], { env, cwd: home });
  const fresh = await freshHome(home, "claude-code");
  const header = (token) => ["--header", `Authorization: Bearer ${token}`];
  const add = (name, token) =>
    claude("mcp", "add", "--transport", "http", name, daemon.url, ...header(token));
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
