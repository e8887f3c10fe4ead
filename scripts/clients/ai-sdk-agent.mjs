// An agent made with the AI SDK, with its tools from Toolkeep; frameworks.mjs starts it.
import { createRequire } from "node:module";
import { join } from "node:path";

const { packages, url, token, model, answer } = JSON.parse(process.env.CLIENT_TASK);
const load = createRequire(join(packages, "package.json"));
const { createMCPClient, ElicitationRequestSchema } = load("@ai-sdk/mcp");
const { generateText, stepCountIs } = load("ai");
const { createOpenAICompatible } = load("@ai-sdk/openai-compatible");

const client = await createMCPClient({
  transport: { type: "http", url, headers: { Authorization: `Bearer ${token}` } },
  capabilities: answer ? { elicitation: {} } : {},
});
try {
  if (answer)
    client.onElicitationRequest(ElicitationRequestSchema, async () => ({
      action: "accept",
      content: { answer },
    }));
  const provider = createOpenAICompatible({ name: "fake", baseURL: model, apiKey: "no-key" });
  const { text } = await generateText({
    model: provider("fake"),
    tools: await client.tools(),
    stopWhen: stepCountIs(4),
    prompt: "Call the tool.",
  });
  console.log(text);
} finally {
  await client.close();
}
