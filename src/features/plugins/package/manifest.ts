import { readFile, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { isRecord } from "../../../lib/json.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { AnnouncedTool, PluginPermissions } from "../contract.ts";
import { readPermissions } from "../permissions.ts";

/** The manifest of a plugin, read from its package.json before any of its code runs. */
export interface Manifest {
  readonly packageName: string;
  readonly version: string;
  readonly description: string;
  /** An absolute path inside the folder, without symbolic links. */
  readonly entry: string;
  readonly permissions: PluginPermissions;
  /** The tools that the plugin lists, only for people. */
  readonly announced: readonly AnnouncedTool[];
}

const MAX_BYTES = 256 * 1024;
const MAX_ANNOUNCED = 200;
const MAX_TEXT = 500;
const PACKAGE_NAME = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
const KEYS = new Set(["entry", "permissions", "tools"]);

/** Reads `folder/package.json`. The error says what is wrong with it. */
export async function readManifest(folder: string): Promise<Result<Manifest, string>> {
  const document = await readPackage(join(folder, "package.json"));
  if (!document.ok) return document;
  const { name, version, description, toolkeep } = document.value;
  if (typeof name !== "string" || name.length > 214 || !PACKAGE_NAME.test(name))
    return err("package.json: name is missing or not a valid npm name");
  if (!isRecord(toolkeep))
    return err(`package.json of ${name} has no "toolkeep" field, so it is not a Toolkeep plugin`);
  const unknown = Object.keys(toolkeep).find((key) => !KEYS.has(key));
  if (unknown !== undefined)
    return err(
      `package.json: toolkeep: unknown key ${JSON.stringify(unknown.slice(0, 80))}; expected ${[...KEYS].join(", ")}`,
    );
  const permissions = readPermissions(toolkeep.permissions);
  if (!permissions.ok) return err(`package.json: toolkeep.${permissions.error}`);
  const entry = await findEntry(folder, toolkeep.entry ?? document.value.main ?? "index.js");
  if (!entry.ok) return entry;
  return ok({
    packageName: name,
    version: shortenText(version) || "0.0.0",
    description: shortenText(description),
    entry: entry.value,
    permissions: permissions.value,
    announced: readAnnouncedTools(toolkeep.tools),
  });
}

async function readPackage(path: string): Promise<Result<Record<string, unknown>, string>> {
  try {
    if ((await stat(path)).size > MAX_BYTES) return err(`package.json is larger than ${MAX_BYTES} bytes`);
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    return isRecord(value) ? ok(value) : err("package.json does not contain an object");
  } catch (error) {
    if (error instanceof SyntaxError) return err("package.json is not JSON");
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    return err(code === "ENOENT" ? "it has no package.json" : `package.json cannot be read (${code})`);
  }
}

async function findEntry(folder: string, entry: unknown): Promise<Result<string, string>> {
  if (typeof entry !== "string" || entry === "" || entry.length > 1000 || entry.includes("\0"))
    return err("package.json: toolkeep.entry: expected the path of a file");
  try {
    const [root, real] = await Promise.all([realpath(folder), realpath(join(folder, entry))]);
    if (!real.startsWith(root + sep)) return err(`the entry ${entry} is outside the plugin's folder`);
    return (await stat(real)).isFile() ? ok(real) : err(`the entry ${entry} is not a file`);
  } catch {
    return err(`the entry ${entry} does not exist; build the plugin first, or fix toolkeep.entry`);
  }
}

function readAnnouncedTools(tools: unknown): readonly AnnouncedTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.slice(0, MAX_ANNOUNCED).flatMap((tool) => {
    const { name, description }: Record<string, unknown> = isRecord(tool) ? tool : { name: tool };
    const text = shortenText(name);
    return text === "" ? [] : [{ name: text, description: shortenText(description) }];
  });
}

function shortenText(value: unknown): string {
  return typeof value === "string" ? value.replace(/\p{Cc}/gu, " ").slice(0, MAX_TEXT) : "";
}
