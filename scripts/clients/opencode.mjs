import { join } from "node:path";
import { installed } from "../installed.mjs";
import { lacks, mustRun, output } from "./command.mjs";
import { connectChecks, freshHome } from "./connected.mjs";
import { callChecks, connectHome, editJson, restartCheck, sessionCheck } from "./conversation.mjs";
import { CACHE, OPENCODE } from "./packages.mjs";

export async function opencodeChecks(stage) {
  const bin = join(await installed(OPENCODE, CACHE), "../.bin/opencode");
  await mustRun(bin, [], stage);
  const home = await freshHome(stage.home, "opencode");
  const env = { PATH: process.env.PATH, HOME: home };
  return {
    ...connectChecks("opencode", stage.daemon, home, {
      list: () => output(bin, ["mcp", "list"], { env, cwd: home }),
      isConnected: (list) => lacks(list, "✓ toolkeep"),
    }),
    ...callChecks(stage, "", driveOpencode(stage, bin)),
    ...restartCheck(stage, driveOpencode(stage, bin)),
    ...sessionCheck(stage, "", driveOpencode(stage, bin)),
  };
}

function driveOpencode(stage, bin) {
  return async ({ url, model, home }) => {
    const file = await connectHome(stage, "opencode", { home, url });
    await editJson(file, (settings) => ({
      ...settings,
      autoupdate: false,
      share: "disabled",
      model: "fake/fake",
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          name: "fake",
          options: { baseURL: `${model}/v1`, apiKey: "no-key" },
          models: { fake: { name: "fake", tool_call: true } },
        },
      },
    }));
    const env = { PATH: process.env.PATH, HOME: home, OPENCODE_DISABLE_MODELS_FETCH: "1" };
    return output(bin, ["run", "--auto", "Call the tool."], { cwd: home, env });
  };
}
