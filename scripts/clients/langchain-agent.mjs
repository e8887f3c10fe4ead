// An agent made with LangChain, with its tools from Toolkeep; frameworks.mjs starts it.
import { createRequire } from "node:module";
import { join } from "node:path";

const { packages, url, token, model } = JSON.parse(process.env.CLIENT_TASK);
const load = createRequire(join(packages, "package.json"));
const { MultiServerMCPClient } = load("@langchain/mcp-adapters");
const { createReactAgent } = load("@langchain/langgraph/prebuilt");
const { ChatOpenAI } = load("@langchain/openai");

const client = new MultiServerMCPClient({
  mcpServers: {
    toolkeep: {
      transport: "http",
      url,
      headers: { Authorization: `Bearer ${token}` },
      automaticSSEFallback: false,
    },
  },
});
try {
  const llm = new ChatOpenAI({ model: "fake", apiKey: "no-key", configuration: { baseURL: model } });
  const agent = createReactAgent({ llm, tools: await client.getTools() });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Call the tool." }] });
  console.log(messages.at(-1).content);
} finally {
  await client.close();
}
