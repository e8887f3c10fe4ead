import { isRecord } from "../../lib/json.ts";
import { ok, type Result } from "../../lib/result.ts";
import { withoutSettings, withSetting } from "../../machine/config/edit/edit-settings.ts";
import { parseSettings, type Settings, valueIn } from "../../machine/config/edit/settings-document.ts";
import { type Backup, backupsOf } from "../../machine/config/edit/settings-files.ts";
import type { ClientFile } from "./client.ts";
import { listServers } from "./list-servers.ts";

/** Moved servers that are not put back, and the backup that contains them. */
export interface UnrestoredServers {
  readonly names: readonly string[];
  readonly backup: string;
}

export interface RestoredText {
  /** Null: the file should not exist. */
  readonly text: string | null;
  /** Names of moved servers that the text contains again. */
  readonly restored: readonly string[];
  readonly stayOut: readonly UnrestoredServers[];
}

/** A moved server with the backup made before the move. */
interface MovedServer {
  readonly key: readonly string[];
  readonly backup: Backup;
}

/**
 * The text of the file before Toolkeep was added and servers were moved. If the file was changed since, its current text
 * without Toolkeep. `ownPath` returns the path of Toolkeep's entry in given settings.
 */
export async function restoreText(
  file: ClientFile,
  text: string,
  settings: Settings,
  ownPath: (settings: Settings) => readonly string[],
): Promise<Result<RestoredText, string>> {
  const { path } = file;
  const key = ownPath(settings);
  const entry = valueIn(settings, key);
  const { before, moves } = await readHistory(path, ownPath);
  const moved = findMovedServers(file, settings, key, moves);
  const keys = moved.map((one) => one.key);
  const restored = moved.map(getName);
  const reproducesText = (old: string) =>
    isRecord(entry) && replayEdits(path, old, key, entry, keys) === text;
  if (before !== undefined && reproducesText(before)) return ok({ text: before, restored, stayOut: [] });

  // The file was not changed since the last move, so the backup of that move can be used.
  const last = moves[0];
  const isSinceMove =
    last && moved.length > 0 && moved.every((one) => one.backup === last) && reproducesText(last.text);
  const now = isSinceMove ? last.text : text;
  const parsed = parseSettings(path, now);
  const parents = findEmptyParents(key, parsed.ok ? parsed.value : settings, path, before);
  const rest = withoutSettings(path, now, [key, ...parents]);
  if (!rest.ok) return rest;
  const isNothing = rest.value.replace(/[{}\s]/g, "") === "";
  return ok({
    text: before === undefined && isNothing ? null : rest.value,
    restored: isSinceMove ? restored : [],
    stayOut: isSinceMove ? [] : groupByBackup(moved),
  });
}

/**
 * Like `restoreText`, for a file that never contained Toolkeep but had servers moved out of it. Undefined if none were
 * moved. A null text means that the file was changed since and stays as it is.
 */
export async function restoreTextBeforeMove(
  file: ClientFile,
  text: string,
  settings: Settings,
): Promise<RestoredText | undefined> {
  for await (const backup of backupsOf(file.path)) {
    if (!backup.isOfMove) return undefined;
    const moved = findMovedServers(file, settings, [], [backup]);
    if (moved.length === 0) return undefined;
    const without = withoutSettings(
      file.path,
      backup.text,
      moved.map((one) => one.key),
    );
    const isUnchanged = without.ok && without.value === text;
    return isUnchanged
      ? { text: backup.text, restored: moved.map(getName), stayOut: [] }
      : { text: null, restored: [], stayOut: groupByBackup(moved) };
  }
  return undefined;
}

/** The newest backup without Toolkeep, and the backups of later moves, newest first. */
async function readHistory(
  path: string,
  ownPath: (settings: Settings) => readonly string[],
): Promise<{ readonly before: string | undefined; readonly moves: readonly Backup[] }> {
  const moves: Backup[] = [];
  for await (const backup of backupsOf(path)) {
    const settings = parseSettings(path, backup.text);
    if (settings.ok && valueIn(settings.value, ownPath(settings.value)) === undefined)
      return { before: backup.text, moves };
    if (backup.isOfMove) moves.push(backup);
  }
  return { before: undefined, moves };
}

/** The servers of the backups that are missing in the settings, each with the newest backup that has it. */
function findMovedServers(
  file: ClientFile,
  settings: Settings,
  ownKey: readonly string[],
  moves: readonly Backup[],
): MovedServer[] {
  const moved = new Map<string, MovedServer>();
  for (const backup of moves) {
    const then = parseSettings(file.path, backup.text);
    for (const { path: key } of then.ok ? listServers(then.value, file) : []) {
      const id = key.join("\0");
      const isGone = valueIn(settings, key) === undefined && id !== ownKey.join("\0");
      if (isGone && !moved.has(id)) moved.set(id, { key, backup });
    }
  }
  return [...moved.values()];
}

/** The text after adding Toolkeep and moving servers. */
function replayEdits(
  path: string,
  text: string,
  key: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  moved: readonly (readonly string[])[],
): string | undefined {
  const connected = withSetting(path, text, key, entry);
  const done = connected.ok ? withoutSettings(path, connected.value, moved) : connected;
  return done.ok ? done.value : undefined;
}

function groupByBackup(moved: readonly MovedServer[]): UnrestoredServers[] {
  return [...new Set(moved.map((one) => one.backup))].map((backup) => ({
    names: moved.filter((one) => one.backup === backup).map(getName),
    backup: backup.path,
  }));
}

function getName({ key }: MovedServer): string {
  return key.at(-1) ?? "";
}

/** The objects around the entry that contain nothing else and did not exist before, innermost first. */
function findEmptyParents(
  key: readonly string[],
  settings: Settings,
  path: string,
  before: string | undefined,
): string[][] {
  const parsed = parseSettings(path, before ?? "");
  const old = parsed.ok ? parsed.value : {};
  const parents = key.slice(0, -1).map((_, index) => key.slice(0, key.length - 1 - index));
  const stays = parents.findIndex((keys) => {
    const value = valueIn(settings, keys);
    return !isRecord(value) || Object.keys(value).length > 1 || valueIn(old, keys) !== undefined;
  });
  return stays === -1 ? parents : parents.slice(0, stays);
}
