import { join } from "node:path";
import { type Client, type Place, variable } from "../client.ts";

/** Replaces no variables; it names those it reads (`bearer_token_env_var`) and refuses a token of its own key. */
export const codex: Client = {
  id: "codex",
  title: "Codex",
  dialect: { variables: "none", timeout: "other" },
  folder,
  files: (place) => [
    {
      path: join(folder(place), "config.toml"),
      scope: "user",
      at: [{ path: ["mcp_servers"], folder: null }],
    },
    {
      path: join(place.cwd, ".codex", "config.toml"),
      scope: "project",
      at: [{ path: ["mcp_servers"], folder: place.cwd }],
    },
  ],
  container: () => ["mcp_servers"],
  entry: ({ url, token }) => ({ url, http_headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new session of Codex; /mcp shows its servers.",
};

function folder(place: Place): string {
  return variable(place, "CODEX_HOME") ?? join(place.home, ".codex");
}
