import { join } from "node:path";
import { type Client, type HostContext, readVariable } from "../client.ts";

export const gemini: Client = {
  id: "gemini",
  title: "Gemini CLI",
  dialect: { variables: "shell", timeout: "call" },
  folder: findFolder,
  files: (host) => [
    {
      path: join(findFolder(host), "settings.json"),
      scope: "user",
      locations: [{ path: ["mcpServers"], folder: null }],
    },
    {
      path: join(host.cwd, ".gemini", "settings.json"),
      scope: "project",
      locations: [{ path: ["mcpServers"], folder: host.cwd }],
    },
  ],
  container: () => ["mcpServers"],
  // Older versions use the SSE transport for `url`; `httpUrl` means streamable HTTP in every version.
  entry: ({ url, token }) => ({ httpUrl: url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new Gemini CLI session. Use /mcp to see its servers.",
};

function findFolder(host: HostContext): string {
  return join(readVariable(host, "GEMINI_CLI_HOME") ?? host.home, ".gemini");
}
