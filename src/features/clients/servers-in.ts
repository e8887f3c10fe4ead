import { isRecord } from "../../lib/json.ts";
import { type Settings, valueIn } from "../../machine/config/edit/settings-document.ts";
import type { ClientFile, ServerAt } from "./client.ts";

/** Every server that the settings hold at the places where the file may have some. */
export function serversIn(settings: Settings, file: Pick<ClientFile, "at">): ServerAt[] {
  return file.at.flatMap(({ path, folder }) => {
    const servers = valueIn(settings, path);
    if (!isRecord(servers)) return [];
    return Object.entries(servers)
      .filter(([name, value]) => !isPlaceItself([...path, name], value, file))
      .map(([name, value]) => ({ name, path: [...path, name], folder, value }));
  });
}

/** opencode has servers under `mcp` and under `mcp.servers`, which is then no server. */
function isPlaceItself(path: readonly string[], value: unknown, { at }: Pick<ClientFile, "at">): boolean {
  const isPlace = at.some((place) => place.path.join("\0") === path.join("\0"));
  return isPlace && isRecord(value) && Object.values(value).every(isRecord);
}
