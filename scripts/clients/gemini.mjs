import { join } from "node:path";
import { installed } from "../installed.mjs";
import { lacks, mustRun, output } from "./command.mjs";
import { connectChecks, freshHome } from "./connected.mjs";
import { callChecks, connectHome, editJson, restartCheck } from "./conversation.mjs";
import { CACHE, GEMINI } from "./packages.mjs";

export async function geminiChecks(stage) {
  const bin = join(await installed(GEMINI, CACHE), "bundle/gemini.js");
  await mustRun(process.execPath, [bin], stage);
  const home = await freshHome(stage.home, "gemini");
  const env = { PATH: process.env.PATH, HOME: home, GEMINI_CLI_TRUST_WORKSPACE: "true" };
  return {
    ...connectChecks("gemini", stage.daemon, home, {
      list: () => output(process.execPath, [bin, "mcp", "list"], { env, cwd: home }),
      isConnected: (list) => lacks(list, "Connected"),
    }),
    ...callChecks(stage, "", driveGemini(stage, bin)),
    ...restartCheck(stage, driveGemini(stage, bin)),
  };
}

function driveGemini(stage, bin) {
  return async ({ url, model, home }) => {
    const file = await connectHome(stage, "gemini", { home, url });
    await editJson(file, (settings) => ({
      ...settings,
      // Named here because an address of a model in the environment alone means yet another way to sign in.
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }));
    const args = ["-p", "Call the tool.", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"];
    return output(process.execPath, [bin, ...args], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_API_KEY: "no-key",
        GOOGLE_GEMINI_BASE_URL: model,
      },
    });
  };
}
