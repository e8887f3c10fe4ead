// A conversation with a model of Anthropic that calls Toolkeep's tools.
//   ANTHROPIC_API_KEY=… node examples/anthropic.mjs "Which files are in your workspace?"
// Beside a daemon it needs a home of its own: TOOLKEEP_HOME=/tmp/example-home
import { anthropicTools, createHub, runAnthropicCalls } from "toolkeep";
import { exampleAgent } from "./example-agent.mjs";

const { ANTHROPIC_BASE_URL = "https://api.anthropic.com", ANTHROPIC_MODEL = "claude-sonnet-4-5" } =
  process.env;
const hub = await createHub({ settings: {} });
try {
  const session = hub.session({ agent: await exampleAgent(hub) });
  const messages = [{ role: "user", content: process.argv[2] ?? "Which files are in your workspace?" }];
  for (let step = 0; step < 10; step++) {
    const turn = await session.turn();
    const { content } = await ask({ messages, tools: anthropicTools(turn) });
    messages.push({ role: "assistant", content });
    const results = await runAnthropicCalls(turn, content);
    if (results.length === 0) {
      console.log(content.map((block) => block.text ?? "").join(""));
      break;
    }
    messages.push({ role: "user", content: results });
  }
} finally {
  await hub.close();
}

async function ask(body) {
  const response = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": process.env.ANTHROPIC_API_KEY ?? "",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify({ model: ANTHROPIC_MODEL, max_tokens: 2048, ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}
