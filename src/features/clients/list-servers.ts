import { isRecord } from "../../lib/json.ts";
import { type Settings, valueIn } from "../../machine/config/edit/settings-document.ts";
import type { ClientFile, RawServerEntry } from "./client.ts";

/** Every server in the settings, at the locations where the file may have some. */
export function listServers(settings: Settings, file: Pick<ClientFile, "locations">): RawServerEntry[] {
  return file.locations.flatMap(({ path, folder }) => {
    const servers = valueIn(settings, path);
    if (!isRecord(servers)) return [];
    return Object.entries(servers)
      .filter(([name, value]) => !isContainer([...path, name], value, file))
      .map(([name, value]) => ({ name, path: [...path, name], folder, value }));
  });
}

/** opencode keeps servers under `mcp` and under `mcp.servers`; in the second case `mcp.servers` is not a server itself. */
function isContainer(
  path: readonly string[],
  value: unknown,
  { locations }: Pick<ClientFile, "locations">,
): boolean {
  const isLocation = locations.some((location) => location.path.join("\0") === path.join("\0"));
  return isLocation && isRecord(value) && Object.values(value).every(isRecord);
}
