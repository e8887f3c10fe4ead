import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "../installed.mjs";
import { lacks, mustRun, output } from "./command.mjs";
import { connectChecks, freshHome } from "./connected.mjs";
import { callChecks, connectHome, questionCheck, restartCheck, sessionCheck } from "./conversation.mjs";
import { CACHE, CODEX } from "./packages.mjs";

const MODERN = ["--enable", "mcp_2026_07_28"];
const PERSON = fileURLToPath(new URL("codex-person.mjs", import.meta.url));

export async function codexChecks(stage) {
  const bin = join(await installed(CODEX, CACHE), "bin/codex.js");
  await mustRun(process.execPath, [bin], stage);
  const home = await freshHome(stage.home, "codex");
  const env = { PATH: process.env.PATH, HOME: home };
  return {
    ...connectChecks("codex", stage.daemon, home, {
      list: () => output(process.execPath, [bin, "mcp", "list"], { env, cwd: home }),
      // Codex connects with the first session only; the list shows how it would.
      isConnected: (list) => lacks(list, "Bearer token"),
    }),
    ...callChecks(stage, "", driveCodex(stage, bin)),
    ...callChecks(stage, ", modern era", driveCodex(stage, bin, MODERN), { stream: false }),
    ...restartCheck(stage, driveCodex(stage, bin)),
    ...sessionCheck(stage, "", driveCodex(stage, bin)),
    ...questionCheck(stage, "", drivePerson(stage, bin)),
    ...questionCheck(stage, ", modern era", drivePerson(stage, bin, MODERN)),
  };
}

function driveCodex(stage, bin, options = []) {
  return async ({ url, model, home }) => {
    const env = await prepare(stage, { url, model, home });
    const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", ...options];
    return output(process.execPath, [bin, ...args, "Call the tool."], { cwd: home, env });
  };
}

function drivePerson(stage, bin, options = []) {
  return async ({ url, model, home, answer }) => {
    const env = await prepare(stage, { url, model, home });
    const task = JSON.stringify({ bin, options, answer });
    return output(process.execPath, [PERSON], { cwd: home, env: { ...env, CLIENT_TASK: task } });
  };
}

/** Settings as `toolkeep connect` writes them, and the fake model. TOML: what is in no table stands before all tables. */
async function prepare(stage, { url, model, home }) {
  const file = await connectHome(stage, "codex", { home, url });
  const provider = [
    "[model_providers.fake]",
    'name = "fake"',
    `base_url = "${model}/v1"`,
    'wire_api = "responses"',
    'env_key = "FAKE_MODEL_KEY"',
  ];
  const text = await readFile(file, "utf8");
  const lines = ['model = "fake"', 'model_provider = "fake"', "", text, ...provider, ""];
  await writeFile(file, lines.join("\n"));
  return { PATH: process.env.PATH, HOME: home, FAKE_MODEL_KEY: "no-key" };
}
