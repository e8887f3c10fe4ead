import { isRecord } from "../lib/json.ts";
import { err, ok } from "../lib/result.ts";
import { type DiscoverOptions, type Discovery, discover } from "./discover.ts";
import { parseSettings } from "./settings-document.ts";

const PLACES = ["mcpServers", "servers", "mcp_servers", "mcp"];
const UNNAMED = "server";

/**
 * The servers in a text that a person pasted: the settings of any client, as JSON or TOML, or the part of them that
 * READMEs show, with or without what stands around it. No file is read, whatever the text names.
 */
export function discoverPasted(
  pasted: string,
  options: Pick<DiscoverOptions, "place" | "ownUrl">,
): Promise<Discovery> {
  const { name, text } = settingsFrom(pasted);
  const path = `/${name}`;
  return discover({
    ...options,
    file: path,
    readText: async (asked) => (asked === path ? ok({ text, mode: 0o600 }) : err("absent" as const)),
  });
}

/** `name` ends as the format wants it. */
function settingsFrom(pasted: string): { readonly name: string; readonly text: string } {
  const text = pasted.trim().replace(/,$/, "");
  const isToml = /^(?:\[|#|[\w.-]+\s*=)/.test(text) && !text.startsWith("[{");
  if (isToml) return { name: "pasted.toml", text };
  const whole = text.startsWith("{") ? text : `{${text}}`;
  const parsed = parseSettings("pasted.json", whole);
  // What is wrong with it is said by whoever reads it next.
  if (!parsed.ok || PLACES.some((place) => isRecord(parsed.value[place])))
    return { name: "pasted.json", text: whole };
  const servers = isServer(parsed.value) ? { [UNNAMED]: parsed.value } : parsed.value;
  return { name: "pasted.json", text: JSON.stringify({ mcpServers: servers }) };
}

function isServer(value: Readonly<Record<string, unknown>>): boolean {
  return ["command", "url", "httpUrl", "serverUrl"].some((key) => typeof value[key] === "string");
}
