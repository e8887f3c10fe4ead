import { createHash } from "node:crypto";
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ToolkeepError } from "../../contract/errors.ts";
import { configInvalid, fileProblem } from "./problem.ts";

/** Longer files are refused: no settings need them, and a project file comes from strangers. */
const MAX_FILE_BYTES = 1_000_000;

/** A settings file that was read once, so that the trusted hash belongs to the text that is parsed. */
export interface SettingsFile {
  readonly path: string;
  readonly text: string;
  /** The hash of the bytes, in hex. */
  readonly sha256: string;
}

/**
 * `toolkeep.json` or `toolkeep.toml` of a folder, for `toolkeep trust`; undefined when there is none. Its path is
 * the same from wherever the folder was entered, so that trust given once is found again.
 */
export async function projectFile(cwd: string): Promise<SettingsFile | undefined> {
  return readSettingsFile(await realpath(cwd).catch(() => cwd), "project");
}

/** `config.json` or `config.toml` of the home folder; undefined when there is none. */
export function userFile(home: string): Promise<SettingsFile | undefined> {
  return readSettingsFile(home, "user");
}

/** Settings that a program gives, as if they had been read. */
export function givenFile(settings: Readonly<Record<string, unknown>>): SettingsFile {
  const text = JSON.stringify(settings, null, 2);
  return { path: "settings.json", text, sha256: createHash("sha256").update(text).digest("hex") };
}

/** Every path in the folder at which a settings file would count. */
export function settingsPaths(folder: string, scope: "user" | "project"): string[] {
  const base = scope === "user" ? "config" : "toolkeep";
  return [join(folder, `${base}.json`), join(folder, `${base}.toml`)];
}

/** Throws CONFIG_INVALID when both endings exist or the content is no text, CONFIG_UNREADABLE when reading fails. */
async function readSettingsFile(
  folder: string,
  scope: "user" | "project",
): Promise<SettingsFile | undefined> {
  const found: string[] = [];
  for (const path of settingsPaths(folder, scope)) if (await exists(path)) found.push(path);
  const [path, other] = found;
  if (path === undefined) return undefined;
  if (other !== undefined) {
    const sentence = `expected one settings file in this folder, got ${other} as well; keep one of the two`;
    throw configInvalid([fileProblem(path, { sentence })]);
  }

  const bytes = await readBytes(path);
  return { path, text: decode(path, bytes), sha256: createHash("sha256").update(bytes).digest("hex") };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw unreadable(path, error);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new Error("it is not a file");
    if (stats.size <= MAX_FILE_BYTES) return await readFile(path);
    const sentence = `expected at most ${MAX_FILE_BYTES} bytes, got ${stats.size}`;
    throw configInvalid([fileProblem(path, { sentence })]);
  } catch (error) {
    throw error instanceof ToolkeepError ? error : unreadable(path, error);
  }
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw configInvalid([fileProblem(path, { sentence: "expected UTF-8 text, got other bytes" })]);
  }
}

function unreadable(path: string, cause: unknown): ToolkeepError {
  const message = `${path}: expected a readable file: ${messageOf(cause)}`;
  return new ToolkeepError("CONFIG_UNREADABLE", message, { cause, details: { path } });
}
