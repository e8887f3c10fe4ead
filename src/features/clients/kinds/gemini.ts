import { join } from "node:path";
import { type Client, type Place, variable } from "../client.ts";

export const gemini: Client = {
  id: "gemini",
  title: "Gemini CLI",
  dialect: { variables: "shell", timeout: "call" },
  folder,
  files: (place) => [
    {
      path: join(folder(place), "settings.json"),
      scope: "user",
      at: [{ path: ["mcpServers"], folder: null }],
    },
    {
      path: join(place.cwd, ".gemini", "settings.json"),
      scope: "project",
      at: [{ path: ["mcpServers"], folder: place.cwd }],
    },
  ],
  container: () => ["mcpServers"],
  // `url` meant the older transport before `type` was known; `httpUrl` means this one in every version.
  entry: ({ url, token }) => ({ httpUrl: url, headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new session of Gemini CLI; /mcp shows its servers.",
};

function folder(place: Place): string {
  return join(variable(place, "GEMINI_CLI_HOME") ?? place.home, ".gemini");
}
