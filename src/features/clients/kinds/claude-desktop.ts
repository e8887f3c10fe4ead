import { join } from "node:path";
import { applicationFolder, type Client, type Place } from "../client.ts";

/** Starts programs only; remote servers are added in its own settings, not in its file. */
export const claudeDesktop: Client = {
  id: "claude-desktop",
  title: "Claude Desktop",
  dialect: { variables: "none", timeout: "other" },
  folder,
  files: (place) => [
    {
      path: join(folder(place), "claude_desktop_config.json"),
      scope: "user",
      at: [{ path: ["mcpServers"], folder: null }],
    },
  ],
  container: () => ["mcpServers"],
  entry: ({ command, args, env }) => ({ command, args, env }),
  next: "Quit Claude Desktop and start it again.",
};

function folder(place: Place): string {
  return join(applicationFolder(place), "Claude");
}
