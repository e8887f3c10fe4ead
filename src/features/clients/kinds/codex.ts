import { join } from "node:path";
import { type Client, type HostContext, readVariable } from "../client.ts";

/** Expands no variables. Settings name the variables to read (`bearer_token_env_var`); a token under a key of its own is refused. */
export const codex: Client = {
  id: "codex",
  title: "Codex",
  dialect: { variables: "none", timeout: "other" },
  folder: findFolder,
  files: (host) => [
    {
      path: join(findFolder(host), "config.toml"),
      scope: "user",
      locations: [{ path: ["mcp_servers"], folder: null }],
    },
    {
      path: join(host.cwd, ".codex", "config.toml"),
      scope: "project",
      locations: [{ path: ["mcp_servers"], folder: host.cwd }],
    },
  ],
  container: () => ["mcp_servers"],
  entry: ({ url, token }) => ({ url, http_headers: { Authorization: `Bearer ${token}` } }),
  next: "Start a new Codex session. Use /mcp to see its servers.",
};

function findFolder(host: HostContext): string {
  return readVariable(host, "CODEX_HOME") ?? join(host.home, ".codex");
}
