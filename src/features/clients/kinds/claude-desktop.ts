import { join } from "node:path";
import { type Client, findApplicationFolder, type HostContext } from "../client.ts";

/** Its file takes local programs only; remote servers are added in the app. */
export const claudeDesktop: Client = {
  id: "claude-desktop",
  title: "Claude Desktop",
  dialect: { variables: "none", timeout: "other" },
  folder: findFolder,
  files: (host) => [
    {
      path: join(findFolder(host), "claude_desktop_config.json"),
      scope: "user",
      locations: [{ path: ["mcpServers"], folder: null }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ command, args, env }) => ({ command, args, env }),
  next: "Quit and restart Claude Desktop.",
};

function findFolder(host: HostContext): string {
  return join(findApplicationFolder(host), "Claude");
}
