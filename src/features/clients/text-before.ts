import { isRecord } from "../../lib/json.ts";
import { ok, type Result } from "../../lib/result.ts";
import { withoutSettings, withSetting } from "../../machine/config/edit/edit-settings.ts";
import { parseSettings, type Settings, valueIn } from "../../machine/config/edit/settings-document.ts";
import { type Backup, backupsOf } from "../../machine/config/edit/settings-files.ts";
import type { ClientFile } from "./client.ts";
import { serversIn } from "./servers-in.ts";

/** Servers that were moved to Toolkeep and stay out of the file, and the backup that has them. */
export interface StayOut {
  readonly names: readonly string[];
  readonly backup: string;
}

export interface Before {
  /** Null: there would be no file. */
  readonly text: string | null;
  /** Names of moved servers that the text has again. */
  readonly restored: readonly string[];
  readonly stayOut: readonly StayOut[];
}

/** A server that was moved, with the backup that was made then. */
interface Moved {
  readonly key: readonly string[];
  readonly backup: Backup;
}

/**
 * What the file would be if Toolkeep had never been written and nothing moved; where it was changed since, what it is
 * now without Toolkeep. `ownPath` is where Toolkeep stands in such settings.
 */
export async function textBefore(
  file: ClientFile,
  text: string,
  settings: Settings,
  ownPath: (settings: Settings) => readonly string[],
): Promise<Result<Before, string>> {
  const { path } = file;
  const key = ownPath(settings);
  const entry = valueIn(settings, key);
  const { before, moves } = await history(path, ownPath);
  const moved = movedSince(file, settings, key, moves);
  const keys = moved.map((one) => one.key);
  const restored = moved.map(nameOf);
  const leadsHere = (old: string) => isRecord(entry) && replayed(path, old, key, entry, keys) === text;
  if (before !== undefined && leadsHere(before)) return ok({ text: before, restored, stayOut: [] });

  // Whoever changed it did so before the servers were moved.
  const last = moves[0];
  const isSinceMove =
    last && moved.length > 0 && moved.every((one) => one.backup === last) && leadsHere(last.text);
  const now = isSinceMove ? last.text : text;
  const parsed = parseSettings(path, now);
  const around = emptied(key, parsed.ok ? parsed.value : settings, path, before);
  const rest = withoutSettings(path, now, [key, ...around]);
  if (!rest.ok) return rest;
  const isNothing = rest.value.replace(/[{}\s]/g, "") === "";
  return ok({
    text: before === undefined && isNothing ? null : rest.value,
    restored: isSinceMove ? restored : [],
    stayOut: isSinceMove ? [] : stayingOut(moved),
  });
}

/**
 * The same for a file that only had servers moved out of it. Undefined where none was; a null text means that the file
 * was changed since and stays as it is.
 */
export async function textBeforeMove(
  file: ClientFile,
  text: string,
  settings: Settings,
): Promise<Before | undefined> {
  for await (const backup of backupsOf(file.path)) {
    if (!backup.isOfMove) return undefined;
    const moved = movedSince(file, settings, [], [backup]);
    if (moved.length === 0) return undefined;
    const without = withoutSettings(
      file.path,
      backup.text,
      moved.map((one) => one.key),
    );
    const isUnchanged = without.ok && without.value === text;
    return isUnchanged
      ? { text: backup.text, restored: moved.map(nameOf), stayOut: [] }
      : { text: null, restored: [], stayOut: stayingOut(moved) };
  }
  return undefined;
}

/** The newest backup in which Toolkeep does not stand yet, and the moves since, newest first. */
async function history(
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

/** The servers of the backups that are gone, each with the newest backup that has it. */
function movedSince(
  file: ClientFile,
  settings: Settings,
  ownKey: readonly string[],
  moves: readonly Backup[],
): Moved[] {
  const moved = new Map<string, Moved>();
  for (const backup of moves) {
    const then = parseSettings(file.path, backup.text);
    for (const { path: key } of then.ok ? serversIn(then.value, file) : []) {
      const id = key.join("\0");
      const isGone = valueIn(settings, key) === undefined && id !== ownKey.join("\0");
      if (isGone && !moved.has(id)) moved.set(id, { key, backup });
    }
  }
  return [...moved.values()];
}

/** The text after Toolkeep is written and servers are moved. */
function replayed(
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

function stayingOut(moved: readonly Moved[]): StayOut[] {
  return [...new Set(moved.map((one) => one.backup))].map((backup) => ({
    names: moved.filter((one) => one.backup === backup).map(nameOf),
    backup: backup.path,
  }));
}

function nameOf({ key }: Moved): string {
  return key.at(-1) ?? "";
}

/** The objects around the entry that hold nothing else and were not there before, innermost first. */
function emptied(
  key: readonly string[],
  settings: Settings,
  path: string,
  before: string | undefined,
): string[][] {
  const parsed = parseSettings(path, before ?? "");
  const old = parsed.ok ? parsed.value : {};
  const around = key.slice(0, -1).map((_, index) => key.slice(0, key.length - 1 - index));
  const stays = around.findIndex((keys) => {
    const value = valueIn(settings, keys);
    return !isRecord(value) || Object.keys(value).length > 1 || valueIn(old, keys) !== undefined;
  });
  return stays === -1 ? around : around.slice(0, stays);
}
