import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { sanitise, withHash } from "../../lib/tool-name.ts";
import type { ToolNameTable } from "../../servers/tables/tool-names.ts";

const MAX_LENGTH = 64;
/** Names are reserved permanently, so a plugin that keeps inventing tools has to be limited. */
const MAX_NAMES = 2_000;
const ATTEMPTS = 20;
const PLUGIN_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** The `Tool.origin` of a plugin's tools. */
export function getOrigin(plugin: string): string {
  return `plugin:${plugin}`;
}

/**
 * Reserves a permanent name for every tool of a plugin: `plugin_<plugin>_<tool>`, with a short hash if that is too long
 * or taken. A tool gets the same name again after its plugin was removed and added.
 */
export async function claimNames(
  store: ToolNameTable,
  plugin: string,
  tools: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const serverId = getOrigin(plugin);
  let names: ReadonlyMap<string, string> = new Map();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const unnamed = tools.filter((tool) => !names.has(tool)).sort();
    if (unnamed.length === 0 || names.size + unnamed.length > MAX_NAMES) break;
    const requests = unnamed.map((originalName) => ({
      serverId,
      originalName,
      name: buildToolName(plugin, originalName, attempt),
    }));
    // The store does not assign taken names; the next attempt tries others.
    const records = await store.add(requests);
    names = new Map(records.map(({ originalName, name }) => [originalName, name]));
  }
  return names;
}

/** Attempt 0 is the plain name. */
export function buildToolName(plugin: string, tool: string, attempt: number): string {
  const whole = `plugin_${sanitise(plugin)}_${sanitise(tool)}`;
  if (attempt === 0 && whole.length <= MAX_LENGTH) return whole;
  return withHash(whole, `${plugin}\0${tool}\0${attempt}`, MAX_LENGTH);
}

/** The default name of a plugin: its package without scope and without the common prefix. */
export function deriveName(packageName: string): string {
  const bare = packageName.replace(/^@[^/]*\//, "").replace(/^toolkeep-(plugin-)?(?=.)/, "");
  return bare
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 32);
}

/** Names a folder and appears in commands, hence the narrow alphabet. Throws NAME_INVALID. */
export function checkPluginName(name: string): string {
  if (PLUGIN_NAME.test(name)) return name;
  throw new ToolkeepError(
    "NAME_INVALID",
    `plugin names are lower-case letters, digits, - and _, starting with a letter, at most 32 characters; got ${JSON.stringify(name.slice(0, 80))}`,
    { remedy: "Give it a name: toolkeep plugin add … --name NAME." },
  );
}

export function unknownPluginError(name: string, known: Iterable<string>): ToolkeepError {
  const guess = nearest(name, known);
  return new ToolkeepError(
    "NOT_FOUND",
    `no plugin is named ${JSON.stringify(name.slice(0, 80))}${guess ? `; did you mean ${guess}?` : ""}`,
    { remedy: "Run `toolkeep plugin list`." },
  );
}
