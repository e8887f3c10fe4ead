import { join } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { type Client, type ClientFile, configFolder, type Place, variable } from "../client.ts";

/** Servers stand under `mcp` itself, or since its second version under `mcp.servers`; both are read by both. */
export const opencode: Client = {
  id: "opencode",
  title: "opencode",
  dialect: { variables: "opencode", timeout: "other" },
  folder,
  files: (place) => {
    const named = variable(place, "OPENCODE_CONFIG");
    const extra = variable(place, "OPENCODE_CONFIG_DIR");
    return [
      ...files(folder(place), "user"),
      { ...file(join(folder(place), "config.json"), "user"), readOnly: true },
      ...(extra ? files(extra, "user").map((one) => ({ ...one, readOnly: true as const })) : []),
      ...(named ? [{ ...file(named, "user"), readOnly: true as const }] : []),
      ...files(place.cwd, "project", place.cwd),
      ...files(join(place.cwd, ".opencode"), "project", place.cwd),
    ];
  },
  container: (settings) => (isSecondVersion(settings) ? ["mcp", "servers"] : ["mcp"]),
  entry: ({ url, token }) => ({
    type: "remote",
    url,
    headers: { Authorization: `Bearer ${token}` },
    oauth: false,
  }),
  next: "Start opencode again; opencode mcp list shows whether it is connected.",
};

function folder(place: Place): string {
  return join(configFolder(place), "opencode");
}

function files(inFolder: string, scope: ClientFile["scope"], project: string | null = null): ClientFile[] {
  return ["opencode.json", "opencode.jsonc"].map((name) => file(join(inFolder, name), scope, project));
}

function file(path: string, scope: ClientFile["scope"], project: string | null = null): ClientFile {
  const at = [["mcp"], ["mcp", "servers"]].map((keys) => ({ path: keys, folder: project }));
  return { path, scope, at };
}

/** A server named `servers` has a type, which is no object. */
function isSecondVersion(settings: unknown): boolean {
  const mcp = isRecord(settings) ? settings.mcp : undefined;
  const servers = isRecord(mcp) ? mcp.servers : undefined;
  return isRecord(servers) && Object.values(servers).every(isRecord);
}
