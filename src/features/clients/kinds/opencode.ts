import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { type Client, type ClientFile, findConfigFolder, type HostContext, readVariable } from "../client.ts";

/** Servers are under `mcp`, or since version 2 under `mcp.servers`. Both versions read both. */
export const opencode: Client = {
  id: "opencode",
  title: "opencode",
  dialect: { variables: "opencode", timeout: "other" },
  folder: findFolder,
  files: (host) => {
    const configFile = readVariable(host, "OPENCODE_CONFIG");
    const configFolder = readVariable(host, "OPENCODE_CONFIG_DIR");
    return [
      ...listFiles(findFolder(host), "user"),
      { ...describeFile(join(findFolder(host), "config.json"), "user"), readOnly: true },
      ...(configFolder
        ? listFiles(configFolder, "user").map((one) => ({ ...one, readOnly: true as const }))
        : []),
      ...(configFile ? [{ ...describeFile(configFile, "user"), readOnly: true as const }] : []),
      ...listFiles(host.cwd, "project", host.cwd),
      ...listFiles(join(host.cwd, ".opencode"), "project", host.cwd),
    ];
  },
  container: (settings) => (isSecondVersion(settings) ? ["mcp", "servers"] : ["mcp"]),
  entry: ({ url, token }) => ({
    type: "remote",
    url,
    headers: { Authorization: `Bearer ${token}` },
    oauth: false,
  }),
  next: "Restart opencode. Run opencode mcp list to check the connection.",
};

function findFolder(host: HostContext): string {
  return join(findConfigFolder(host), "opencode");
}

function listFiles(
  inFolder: string,
  scope: ClientFile["scope"],
  project: string | null = null,
): ClientFile[] {
  return ["opencode.json", "opencode.jsonc"].map((name) =>
    describeFile(join(inFolder, name), scope, project),
  );
}

function describeFile(path: string, scope: ClientFile["scope"], project: string | null = null): ClientFile {
  const locations = [["mcp"], ["mcp", "servers"]].map((keys) => ({ path: keys, folder: project }));
  return { path, scope, locations };
}

/** A server that happens to be named `servers` has a `type`, which is not an object. */
function isSecondVersion(settings: unknown): boolean {
  const mcp = isRecord(settings) ? settings.mcp : undefined;
  const servers = isRecord(mcp) ? mcp.servers : undefined;
  return isRecord(servers) && Object.values(servers).every(isRecord);
}
