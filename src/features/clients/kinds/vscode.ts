import { join } from "node:path";
import {
  type Client,
  type ClientFile,
  findApplicationFolder,
  type HostContext,
  readVariable,
} from "../client.ts";

/** The default profiles of both editions. Servers of other profiles can be imported with `--file`. */
export const vscode: Client = {
  id: "vscode",
  title: "VS Code",
  dialect: { variables: "braces", timeout: "other" },
  folder: findUserFolder,
  files: (host) => [
    ...listEditionFiles(findUserFolder(host)),
    ...listEditionFiles(join(findApplicationFolder(host), "Code - Insiders", "User")),
    {
      path: join(host.cwd, ".vscode", "mcp.json"),
      scope: "project",
      locations: listLocations(host.cwd),
    },
  ],
  container: () => ["servers"],
  entry: ({ url, token }) => ({ type: "http", url, headers: { Authorization: `Bearer ${token}` } }),
  next: "VS Code picks up the change. Start the server there with MCP: List Servers.",
};

function findUserFolder(host: HostContext): string {
  const portable = readVariable(host, "VSCODE_PORTABLE");
  return portable ? join(portable, "user-data", "User") : join(findApplicationFolder(host), "Code", "User");
}

function listEditionFiles(folder: string): ClientFile[] {
  return [
    { path: join(folder, "mcp.json"), scope: "user", locations: listLocations(null) },
    {
      path: join(folder, "settings.json"),
      scope: "user",
      locations: [
        { path: ["mcp", "servers"], folder: null },
        { path: ["mcp.servers"], folder: null },
      ],
      readOnly: true,
    },
  ];
}

function listLocations(folder: string | null): ClientFile["locations"] {
  return [
    { path: ["servers"], folder },
    { path: ["mcpServers"], folder },
  ];
}
