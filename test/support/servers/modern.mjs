// A server of the 2026-07-28 era over stdio, on the SDK. It refuses `initialize`.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

serveStdio(
  () => {
    const server = new McpServer({ name: "modern", version: "1.0.0" }, { capabilities: { tools: {} } });
    server.registerTool("hello", { description: "Says hello." }, () => ({
      content: [{ type: "text", text: "hello" }],
    }));
    return server;
  },
  { legacy: "reject" },
);
