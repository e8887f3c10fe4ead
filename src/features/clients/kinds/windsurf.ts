import { join } from "node:path";
import type { Client } from "../client.ts";

export const windsurf: Client = {
  id: "windsurf",
  title: "Windsurf",
  dialect: { variables: "braces", timeout: "other" },
  folder: ({ home }) => join(home, ".codeium", "windsurf"),
  files: ({ home }) => [
    {
      path: join(home, ".codeium", "windsurf", "mcp_config.json"),
      scope: "user",
      locations: [{ path: ["mcpServers"], folder: null }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ url, token }) => ({ serverUrl: url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Press Refresh in Windsurf's list of MCP servers, or restart Windsurf.",
};
