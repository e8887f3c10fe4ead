import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginSource } from "../../src/features/plugins/contract.ts";
import type { TestHub } from "./test-hub.ts";

export interface TestPlugin {
  readonly name?: string;
  readonly version?: string;
  readonly permissions?: Readonly<Record<string, unknown>>;
  /** The whole entry. */
  readonly entry?: string;
  /** In the place of `entry`: the body of `run` of one tool named `tool`, with `args` and `context` in reach. */
  readonly run?: string;
  /** The flags of that tool. */
  readonly flags?: Readonly<Record<string, boolean>>;
}

/** Writes the folder of a plugin and gives its path. */
export async function writePlugin(folder: string, plugin: TestPlugin = {}): Promise<string> {
  const { name = "toolkeep-plugin-sample", version = "1.0.0", permissions, flags = {} } = plugin;
  const document = {
    name,
    version,
    description: "A plugin of a test.",
    type: "module",
    toolkeep: { entry: "index.js", ...(permissions && { permissions }) },
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(document));
  await writeFile(join(folder, "index.js"), plugin.entry ?? entryOf(plugin.run ?? "return 'hello';", flags));
  return folder;
}

function entryOf(run: string, flags: object): string {
  return `
import fs from "node:fs";
export const tools = [{
  name: "tool",
  description: "The tool of a test.",
  inputSchema: { type: "object" },
  flags: ${JSON.stringify(flags)},
  timeoutMs: 5000,
  async run(args, context) { ${run} },
}];
`;
}

/** The folder of a plugin beside everything else of a test. */
export function writtenPlugin({ home }: Pick<TestHub, "home">, plugin: TestPlugin): Promise<string> {
  return writePlugin(join(home, "sources", plugin.name ?? "sample"), plugin);
}

/** The same, added and enabled by a person. */
export async function enabledPlugin(
  tested: Pick<TestHub, "home" | "hub">,
  plugin: TestPlugin,
  { kind = "folder", name }: { kind?: PluginSource["kind"]; name?: string } = {},
): Promise<string> {
  const spec = await writtenPlugin(tested, plugin);
  const added = await tested.hub.plugins.add({ kind, spec }, name === undefined ? {} : { name });
  await tested.hub.plugins.enable(added.name, { sha256: added.sha256! });
  return spec;
}
