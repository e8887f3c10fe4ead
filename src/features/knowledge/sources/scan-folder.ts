import { type Dirent, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { compareKeys } from "./compare-keys.ts";
import {
  bookmarksFileType,
  type FileType,
  folderFileType,
  inboxFileType,
  isContainer,
  mailFileType,
  notionFileType,
  vaultFileType,
} from "./file-type.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { withJournal } from "./journal.ts";
import { reasonOf } from "./reason.ts";
import type { SourcePlan } from "./source-plan.ts";

/** A file to be read unless the index has it in this state. */
export interface FoundFile {
  readonly kind: "file";
  /** Its path within the source, with `/`. With `/` at its end where it holds many documents, whose keys begin with it. */
  readonly key: string;
  readonly path: string;
  readonly type: FileType;
  readonly modifiedAt: number;
  readonly size: number;
}

/** A file or folder that could not be read. Its documents stay, also those below it if its key ends with `/`. */
export interface UnseenPlace {
  readonly kind: "unseen";
  readonly key: string;
  readonly reason: string;
}

export type Scanned = FoundFile | UnseenPlace;

const MAX_DEPTH = 64;
const MAX_IN_FOLDER = 500_000;
const MAX_IGNORE_FILE = 64 * 1024;
const NEVER = [".git", "node_modules", "__pycache__", "*.min.js", "*.min.css", "*.map"];
const VAULT_FOLDERS = [".obsidian", ".trash", ".stfolder", ".sync"];

/** The type of a file for each kind of source, by its name; undefined: it is not read. */
export const TYPES: Readonly<Record<SourcePlan["kind"], (name: string) => FileType | undefined>> = {
  folder: folderFileType,
  inbox: inboxFileType,
  obsidian: vaultFileType,
  notion: notionFileType,
  mail: mailFileType,
  bookmarks: bookmarksFileType,
};

/**
 * Yields everything in a source in key order, with only the open folders in memory. Blocks its thread. Never follows symbolic
 * links, so it neither leaves the source nor runs in circles. Throws if the source itself cannot be read.
 */
export function* scanFolder(plan: SourcePlan): Generator<Scanned> {
  if (plan.isFile) {
    const name = basename(plan.root);
    const { mtimeMs, size } = statSync(plan.root);
    const type = TYPES[plan.kind](name) ?? (plan.kind === "bookmarks" ? "bookmarks" : "text");
    yield foundFile(name, plan.root, type, mtimeMs, size);
    return;
  }
  let files = 0;
  for (const scanned of walk(plan, "", [rulesOf(plan)], 0)) {
    if (scanned.kind === "file" && ++files > plan.maxFiles) {
      yield {
        kind: "unseen",
        key: "",
        reason: `there are more than ${plan.maxFiles} files; the rest was left out`,
      };
      return;
    }
    yield scanned;
  }
}

/** Counts the files that `scanFolder` yields, without reading their state, which is most of its work. A source that cannot be read has none. */
export function* listFolder(plan: SourcePlan): Generator<number> {
  if (plan.isFile) return yield 1;
  let files = 0;
  try {
    for (const { kind } of walk(plan, "", [rulesOf(plan)], 0, unlooked))
      if (kind === "file" && files < plan.maxFiles) yield ++files;
  } catch {
    // The scan reports the reason.
  }
}

/** The rules of the source itself. */
export function rulesOf({ kind, ignore }: Pick<SourcePlan, "kind" | "ignore">): IgnoreRules {
  return new IgnoreRules("", [...NEVER, ...(kind === "obsidian" ? VAULT_FOLDERS : []), ...ignore]);
}

function* walk(
  plan: SourcePlan,
  folder: string,
  above: readonly IgnoreRules[],
  depth: number,
  lookAt = look,
): Generator<Scanned> {
  const path = join(plan.root, folder);
  const entries = sortedEntries(path, (name) => TYPES[plan.kind](name));
  const rules = plan.gitignore ? [...above, ...rulesIn(plan.root, folder, entries)] : above;
  for (const { sortedAs, entry } of entries) {
    const { name } = entry;
    if (name.startsWith(".") && !plan.hidden) continue;
    const key = folder + name;
    const isFolder = entry.isDirectory();
    if (isIgnored(rules, key, isFolder)) continue;
    if (isFolder) {
      const inner = join(path, name);
      if (plan.excluded.includes(inner)) continue;
      yield* below(plan, `${key}/`, rules, depth + 1, lookAt);
    } else if (entry.isFile()) {
      const type = TYPES[plan.kind](name);
      if (type) yield lookAt(folder + sortedAs, join(path, name), type);
    }
  }
}

/** A folder that cannot be read hides only its own content. */
function* below(
  plan: SourcePlan,
  key: string,
  rules: readonly IgnoreRules[],
  depth: number,
  lookAt: typeof look,
): Generator<Scanned> {
  if (depth > MAX_DEPTH) {
    yield { kind: "unseen", key, reason: `it lies more than ${MAX_DEPTH} folders deep` };
    return;
  }
  try {
    yield* walk(plan, key, rules, depth, lookAt);
  } catch (error) {
    yield { kind: "unseen", key, reason: reasonOf(error) };
  }
}

function look(key: string, path: string, type: FileType): Scanned {
  try {
    const { mtimeMs, size } = lstatSync(path);
    return foundFile(key, path, type, mtimeMs, size);
  } catch (error) {
    return { kind: "unseen", key, reason: reasonOf(error, path) };
  }
}

const unlooked: typeof look = (key, path, type) => ({
  ...{ kind: "file", key, path, type, modifiedAt: 0, size: 0 },
});

function foundFile(key: string, path: string, type: FileType, mtimeMs: number, size: number): FoundFile {
  const named = isContainer(type) && !key.endsWith("/") ? `${key}/` : key;
  const state = { modifiedAt: Math.floor(mtimeMs), size };
  return {
    kind: "file",
    key: named,
    path,
    type,
    ...(type === "bookmarks" ? withJournal(path, state) : state),
  };
}

interface SortedEntry {
  readonly entry: Dirent;
  readonly sortedAs: string;
}

/** A container sorts by the prefix of its keys. */
function sortedEntries(path: string, typeOf: (name: string) => FileType | undefined): SortedEntry[] {
  const entries = readdirSync(path, { withFileTypes: true });
  if (entries.length > MAX_IN_FOLDER) throw new Error(`it holds more than ${MAX_IN_FOLDER} files`);
  return entries
    .map((entry) => {
      const type = entry.isFile() ? typeOf(entry.name) : undefined;
      const holds = entry.isDirectory() || (type !== undefined && isContainer(type));
      return { entry, sortedAs: holds ? `${entry.name}/` : entry.name };
    })
    .sort((one, other) => compareKeys(one.sortedAs, other.sortedAs));
}

function rulesIn(root: string, folder: string, entries: readonly SortedEntry[]): IgnoreRules[] {
  return entries
    .filter(({ entry: { name } }) => IGNORE_FILES.includes(name))
    .flatMap(({ entry }) => readIgnoreFile(root, folder, entry.name));
}

export const IGNORE_FILES: readonly string[] = [".gitignore", ".toolkeepignore"];

/** The rules of one of `IGNORE_FILES`, if it is a file of normal size. Throws if it does not exist. */
export function readIgnoreFile(root: string, folder: string, name: string): IgnoreRules[] {
  const path = join(root, folder, name);
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.size > MAX_IGNORE_FILE) return [];
  return [new IgnoreRules(folder, readFileSync(path, "utf8").split("\n"))];
}

/** The rules of the innermost folder take precedence. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (let index = rules.length - 1; index >= 0; index--) {
    const verdict = rules[index]!.verdict(path, isFolder);
    if (verdict !== undefined) return verdict;
  }
  return false;
}
