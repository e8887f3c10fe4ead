// Clients that are libraries: a small agent of each, written as its documentation says, in a process of its own.
import { fileURLToPath } from "node:url";
import { output } from "./command.mjs";
import { callChecks, questionCheck, restartCheck } from "./conversation.mjs";
import { AI_SDK, CACHE, installedTogether, LANGCHAIN } from "./packages.mjs";

export async function aiSdkChecks(stage) {
  const drive = driveAgent(stage, "ai-sdk-agent.mjs", await installedTogether(AI_SDK, CACHE));
  return {
    ...callChecks(stage, "", drive),
    ...restartCheck(stage, drive),
    ...questionCheck(stage, "", drive),
  };
}

export async function langchainChecks(stage) {
  const drive = driveAgent(stage, "langchain-agent.mjs", await installedTogether(LANGCHAIN, CACHE));
  return { ...callChecks(stage, "", drive), ...restartCheck(stage, drive) };
}

function driveAgent(stage, script, packages) {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return ({ url, model, home, answer }) => {
    const task = { packages, url, token: stage.daemon.token, model: `${model}/v1`, answer };
    return output(process.execPath, [path], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, CLIENT_TASK: JSON.stringify(task) },
    });
  };
}
