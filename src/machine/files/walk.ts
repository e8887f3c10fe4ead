import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../contract/system-error.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import type { FilePlace, Workspace } from "./workspace.ts";

/** Something found below a folder. Valid until the next one is asked for. */
export interface Entry {
  readonly kind: "file" | "folder" | "link" | "special";
  readonly name: string;
  /** Relative to where the walk began, with `/`. */
  readonly path: string;
  readonly real: string;
  /** The folder it is in, open. */
  readonly folder: HeldFolder;
  /**
   * A rule denies it or asks about it, so it must not be shown. `whole`: with all its contents, which are not walked.
   */
  readonly leftOut?: "alone" | "whole";
}

export interface WalkOptions {
  /** 1: only the folder's own entries. */
  readonly depth: number;
  /** Folders whose content is left out. */
  readonly skip?: (name: string) => boolean;
  readonly signal: AbortSignal;
}

/** Entries of one folder beyond this are not seen; sorting needs all of them in memory. */
const MAX_IN_FOLDER = 50_000;

/**
 * Yields everything below a folder, each folder followed by its contents in order of name. Never follows symbolic
 * links. Entries that rules hide are marked; showing one is a bug.
 */
export async function* walk(
  workspace: Workspace,
  start: FilePlace,
  options: WalkOptions,
  prefix = "",
): AsyncGenerator<Entry> {
  const real = prefix === "" ? start.real : join(start.real, prefix.slice(0, -1));
  const folder = await holdFolder(real);
  try {
    for (const found of await sortedEntries(folder)) {
      options.signal.throwIfAborted();
      const { name } = found;
      const entry = { kind: kindOf(found), name, path: prefix + name, real: join(real, name), folder };
      if (!workspace.permits(entry.real, "read")) continue;
      const isOpened = entry.kind === "folder" && options.depth > 1 && !options.skip?.(name);
      const rules = workspace.rulesOn(entry.real, start);
      if (rules.permits()) yield entry;
      else if (isOpened && rules.deniesAllBelow()) {
        yield { ...entry, leftOut: "whole" };
        continue;
      } else yield { ...entry, leftOut: "alone" };
      if (isOpened) yield* walkReadable(workspace, start, entry, options);
    }
  } finally {
    await folder.close();
  }
}

/** A folder that vanished or may not be read is shown without content; it must not hide its neighbours. */
async function* walkReadable(
  workspace: Workspace,
  start: FilePlace,
  entry: Entry,
  options: WalkOptions,
): AsyncGenerator<Entry> {
  try {
    yield* walk(workspace, start, { ...options, depth: options.depth - 1 }, `${entry.path}/`);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

async function sortedEntries(folder: HeldFolder): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder.at())) {
    entries.push(entry);
    if (entries.length >= MAX_IN_FOLDER) break;
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: Dirent): Entry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "special";
}
