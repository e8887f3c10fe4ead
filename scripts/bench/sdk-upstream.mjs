// A server as they are in the field, built on the SDK, for the benchmark's starts: how long servers take to start is part of them.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool(
  "echo",
  { description: "Gives back what it is given.", inputSchema: z.object({ message: z.string() }) },
  ({ message }) => ({ content: [{ type: "text", text: message }] }),
);
server.registerTool("large", { description: "Gives a text.", inputSchema: z.object({}) }, () => ({
  content: [{ type: "text", text: "large" }],
}));
await server.connect(new StdioServerTransport());
