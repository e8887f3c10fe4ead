import { join } from "node:path";
import { type Client, type Place, variable } from "../client.ts";

/**
 * The user's servers and, under `projects`, those kept for one folder stand in one big file that Claude Code itself
 * rewrites; those shared with a project in `.mcp.json`.
 */
export const claudeCode: Client = {
  id: "claude-code",
  title: "Claude Code",
  dialect: { variables: "braces", timeout: "call" },
  folder: (place) => variable(place, "CLAUDE_CONFIG_DIR") ?? join(place.home, ".claude"),
  files: (place) => [
    {
      path: userFile(place),
      scope: "user",
      at: [
        { path: ["mcpServers"], folder: null },
        { path: ["projects", place.cwd, "mcpServers"], folder: place.cwd },
      ],
    },
    {
      path: join(place.cwd, ".mcp.json"),
      scope: "project",
      at: [{ path: ["mcpServers"], folder: place.cwd }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ url, token }) => ({ type: "http", url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new session of Claude Code; claude mcp list shows whether it is connected.",
};

function userFile(place: Place): string {
  const folder = variable(place, "CLAUDE_CONFIG_DIR");
  return join(folder ?? place.home, ".claude.json");
}
