import { join } from "node:path";
import { applicationFolder, type Client, type ClientFile, type Place, variable } from "../client.ts";

/** The default profile of both editions; servers of other profiles can be named with `--file`. */
export const vscode: Client = {
  id: "vscode",
  title: "VS Code",
  dialect: { variables: "braces", timeout: "other" },
  folder: userFolder,
  files: (place) => [
    ...editionFiles(userFolder(place)),
    ...editionFiles(join(applicationFolder(place), "Code - Insiders", "User")),
    {
      path: join(place.cwd, ".vscode", "mcp.json"),
      scope: "project",
      at: serversOf(place.cwd),
    },
  ],
  container: () => ["servers"],
  entry: ({ url, token }) => ({ type: "http", url, headers: { Authorization: `Bearer ${token}` } }),
  next: "VS Code notices the change; start the server there with MCP: List Servers.",
};

function userFolder(place: Place): string {
  const portable = variable(place, "VSCODE_PORTABLE");
  return portable ? join(portable, "user-data", "User") : join(applicationFolder(place), "Code", "User");
}

function editionFiles(folder: string): ClientFile[] {
  return [
    { path: join(folder, "mcp.json"), scope: "user", at: serversOf(null) },
    {
      path: join(folder, "settings.json"),
      scope: "user",
      at: [
        { path: ["mcp", "servers"], folder: null },
        { path: ["mcp.servers"], folder: null },
      ],
      readOnly: true,
    },
  ];
}

function serversOf(folder: string | null): ClientFile["at"] {
  return [
    { path: ["servers"], folder },
    { path: ["mcpServers"], folder },
  ];
}
