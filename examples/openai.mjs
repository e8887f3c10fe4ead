// A conversation with a model behind the OpenAI Responses API, or anything compatible, that calls Toolkeep's tools.
//   OPENAI_API_KEY=… node examples/openai.mjs "Which files are in your workspace?"
// Beside a daemon it needs a home of its own: TOOLKEEP_HOME=/tmp/example-home
import { createHub, openaiResponsesTools, runOpenaiResponsesCalls } from "toolkeep";
import { exampleAgent } from "./example-agent.mjs";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_MODEL = "gpt-5" } = process.env;
const hub = await createHub({ settings: {} });
try {
  const session = hub.session({ agent: await exampleAgent(hub) });
  const input = [{ role: "user", content: process.argv[2] ?? "Which files are in your workspace?" }];
  for (let step = 0; step < 10; step++) {
    const turn = await session.turn();
    const { output } = await ask({ input, tools: openaiResponsesTools(turn) });
    input.push(...output);
    const results = await runOpenaiResponsesCalls(turn, output);
    if (results.length === 0) {
      const texts = output.flatMap((item) => item.content ?? []).map((part) => part.text ?? "");
      console.log(texts.join(""));
      break;
    }
    input.push(...results);
  }
} finally {
  await hub.close();
}

async function ask(body) {
  const response = await fetch(`${OPENAI_BASE_URL}/responses`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${process.env.OPENAI_API_KEY ?? ""}`,
    },
    body: JSON.stringify({ model: OPENAI_MODEL, store: false, ...body }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}
