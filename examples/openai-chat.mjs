// The same with the Chat Completions API, which most local model servers speak as well.
//   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 node examples/openai-chat.mjs
// Beside a daemon it needs a home of its own: TOOLKEEP_HOME=/tmp/example-home
import { createHub, openaiChatTools, runOpenaiChatCalls } from "toolkeep";
import { exampleAgent } from "./example-agent.mjs";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_MODEL = "gpt-5" } = process.env;
const hub = await createHub({ settings: {} });
try {
  const session = hub.session({ agent: await exampleAgent(hub) });
  const messages = [{ role: "user", content: process.argv[2] ?? "Which files are in your workspace?" }];
  for (let step = 0; step < 10; step++) {
    const turn = await session.turn();
    const { choices } = await ask({ messages, tools: openaiChatTools(turn) });
    const [{ message }] = choices;
    messages.push(message);
    const results = await runOpenaiChatCalls(turn, message.tool_calls ?? []);
    if (results.length === 0) {
      console.log(message.content);
      break;
    }
    messages.push(...results);
  }
} finally {
  await hub.close();
}

async function ask(body) {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env.OPENAI_API_KEY ?? ""}`,
    },
    body: JSON.stringify({ model: OPENAI_MODEL, ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}
