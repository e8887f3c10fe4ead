import { ToolkeepError } from "../../contract/errors.ts";
import { nearest } from "../../lib/nearest.ts";
import { sanitise, withHash } from "../../lib/tool-name.ts";
import type { ToolNameStore } from "../../machine/db/store.ts";

const MAX_LENGTH = 64;
/** Names are kept for good, so a plugin that invents new tools all the time must come to an end. */
const MAX_NAMES = 2_000;
const ATTEMPTS = 20;
const PLUGIN_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** Where the tools of a plugin come from, as `Tool.origin` puts it. */
export function originOf(plugin: string): string {
  return `plugin:${plugin}`;
}

/**
 * Gives every tool of a plugin its name in the catalogue, for good: `plugin_<plugin>_<tool>`, or with a short hash
 * where that is too long or taken. The same tool has the same name after the plugin was removed and added again.
 */
export async function claimNames(
  store: ToolNameStore,
  plugin: string,
  tools: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const serverId = originOf(plugin);
  let names: ReadonlyMap<string, string> = new Map();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const left = tools.filter((tool) => !names.has(tool)).sort();
    if (left.length === 0 || names.size + left.length > MAX_NAMES) break;
    const wanted = left.map((originalName) => ({
      serverId,
      originalName,
      name: nameOf(plugin, originalName, attempt),
    }));
    // A name that somebody has is not given; the next attempt asks for another.
    const records = await store.add(wanted);
    names = new Map(records.map(({ originalName, name }) => [originalName, name]));
  }
  return names;
}

/** The first attempt is the plain name. */
export function nameOf(plugin: string, tool: string, attempt: number): string {
  const whole = `plugin_${sanitise(plugin)}_${sanitise(tool)}`;
  if (attempt === 0 && whole.length <= MAX_LENGTH) return whole;
  return withHash(whole, `${plugin}\0${tool}\0${attempt}`, MAX_LENGTH);
}

/** How a plugin is called where nobody says: its package without scope and without what all of them begin with. */
export function defaultName(packageName: string): string {
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

export function noSuchPlugin(name: string, known: Iterable<string>): ToolkeepError {
  const guess = nearest(name, known);
  return new ToolkeepError(
    "NOT_FOUND",
    `no plugin is named ${JSON.stringify(name.slice(0, 80))}${guess ? `; did you mean ${guess}?` : ""}`,
    { remedy: "See what there is: toolkeep plugin list." },
  );
}
