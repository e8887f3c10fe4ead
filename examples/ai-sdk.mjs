// The AI SDK makes the calls by itself. It is no dependency of Toolkeep: npm install ai@6 @ai-sdk/openai-compatible
//   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 node examples/ai-sdk.mjs
// Beside a daemon it needs a home of its own: TOOLKEEP_HOME=/tmp/example-home
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs } from "ai";
import { aiSdkTools, createHub } from "toolkeep";
import { exampleAgent } from "./example-agent.mjs";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_MODEL = "gpt-5" } = process.env;
const provider = createOpenAICompatible({
  name: "openai-compatible",
  baseURL: OPENAI_BASE_URL,
  apiKey: process.env.OPENAI_API_KEY ?? "",
});
const hub = await createHub({ settings: {} });
try {
  const turn = await hub.session({ agent: await exampleAgent(hub) }).turn();
  const { text } = await generateText({
    model: provider(OPENAI_MODEL),
    tools: aiSdkTools(turn, jsonSchema),
    stopWhen: stepCountIs(10),
    prompt: process.argv[2] ?? "Which files are in your workspace?",
  });
  console.log(text);
} finally {
  await hub.close();
}
