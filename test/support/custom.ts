import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestHub } from "./test-hub.ts";

/** Writes the folder of a custom tool: its manifest, with a script in the language of `entry`. */
export async function writeTool(
  home: string,
  slug: string,
  script: string,
  manifest: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const folder = join(home, "tools", slug);
  const entry = typeof manifest.entry === "string" ? manifest.entry : "tool.sh";
  await mkdir(dirname(join(folder, entry)), { recursive: true });
  const whole = { description: `The tool ${slug}.`, input_schema: { type: "object" }, entry, ...manifest };
  await writeFile(join(folder, "tool.json"), JSON.stringify(whole));
  await writeFile(join(folder, entry), script);
  await chmod(join(folder, entry), 0o700);
  return folder;
}

/** The same, and a person enables what is in it. */
export async function enabledTool(
  test: Pick<TestHub, "hub" | "home">,
  slug: string,
  script: string,
  manifest: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const folder = await writeTool(test.home, slug, script, manifest);
  await enableTool(test, slug);
  return folder;
}

/** A person looks at what is in the folder now, and enables it. */
export async function enableTool({ hub }: Pick<TestHub, "hub">, slug: string): Promise<void> {
  await hub.custom.refresh();
  const { sha256 } = hub.custom.get(slug);
  await hub.custom.enable(slug, { sha256: sha256 ?? "", by: "operator" });
}
