import { join } from "node:path";
import { type Client, type HostContext, readVariable } from "../client.ts";

/**
 * The user's servers and, under `projects`, those of single folders are in one big file that Claude Code itself rewrites.
 * Servers shared with a project are in `.mcp.json`.
 */
export const claudeCode: Client = {
  id: "claude-code",
  title: "Claude Code",
  dialect: { variables: "braces", timeout: "call" },
  folder: (host) => readVariable(host, "CLAUDE_CONFIG_DIR") ?? join(host.home, ".claude"),
  files: (host) => [
    {
      path: findUserFile(host),
      scope: "user",
      locations: [
        { path: ["mcpServers"], folder: null },
        { path: ["projects", host.cwd, "mcpServers"], folder: host.cwd },
      ],
    },
    {
      path: join(host.cwd, ".mcp.json"),
      scope: "project",
      locations: [{ path: ["mcpServers"], folder: host.cwd }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ url, token }) => ({ type: "http", url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new Claude Code session. Run claude mcp list to check the connection.",
};

function findUserFile(host: HostContext): string {
  const folder = readVariable(host, "CLAUDE_CONFIG_DIR");
  return join(folder ?? host.home, ".claude.json");
}
