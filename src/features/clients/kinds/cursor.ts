import { join } from "node:path";
import type { Client } from "../client.ts";

export const cursor: Client = {
  id: "cursor",
  title: "Cursor",
  dialect: { variables: "braces", timeout: "other" },
  folder: ({ home }) => join(home, ".cursor"),
  files: ({ home, cwd }) => [
    {
      path: join(home, ".cursor", "mcp.json"),
      scope: "user",
      locations: [{ path: ["mcpServers"], folder: null }],
    },
    {
      path: join(cwd, ".cursor", "mcp.json"),
      scope: "project",
      locations: [{ path: ["mcpServers"], folder: cwd }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ url, token }) => ({ url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Restart Cursor. The server is listed in its settings under MCP.",
};
