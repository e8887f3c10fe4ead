import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { messageOf } from "../../../contract/errors.ts";
import { err, ok, type Result } from "../../../lib/result.ts";

/** Claude Code keeps its whole state in the same file as its servers, which grows to many megabytes. */
export const MAX_SETTINGS_BYTES = 32 * 1024 * 1024;

export interface SettingsText {
  readonly text: string;
  /** The permission bits. */
  readonly mode: number;
}

/** Why a file has no text: it is not there, or something is wrong with it. */
export type NoText = "absent" | { readonly problem: string };

/** The text of a regular file, links followed; whatever else stands at the path is neither opened for long nor read. */
export async function readSettingsText(
  path: string,
  maxBytes = MAX_SETTINGS_BYTES,
): Promise<Result<SettingsText, NoText>> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return err("absent");
    return err({ problem: `expected a readable file: ${messageOf(error)}` });
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return err({ problem: "expected a file, got something else" });
    if (stats.size > maxBytes)
      return err({ problem: `expected at most ${maxBytes} bytes, got ${stats.size}` });
    const bytes = await file.readFile();
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return ok({ text, mode: stats.mode & 0o7777 });
  } catch (error) {
    if (error instanceof TypeError) return err({ problem: "expected UTF-8 text, got other bytes" });
    return err({ problem: `expected a readable file: ${messageOf(error)}` });
  } finally {
    await file.close();
  }
}
