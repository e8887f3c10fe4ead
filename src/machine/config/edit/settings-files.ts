import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import { readSettingsText } from "./settings-text.ts";

/** For files that Toolkeep creates, because they hold a token. */
const OWN_MODE = 0o600;
const BACKUP = ".toolkeep-backup-";
/** How the name of a backup ends that was made before servers were moved to Toolkeep. */
const MOVED = "-moved";
const MOST_BACKUPS = 50;

/** A copy of a settings file as it was once. */
export interface Backup {
  readonly path: string;
  readonly text: string;
  /** Whether servers were taken out after it was made, because Toolkeep has them. */
  readonly isOfMove: boolean;
}

/** A settings file as it is now; `text` is null where there is none. */
export interface SettingsFile {
  readonly path: string;
  /** The path without symbolic links. */
  readonly real: string;
  readonly text: string | null;
  readonly mode: number;
}

export async function readSettingsFile(path: string): Promise<Result<SettingsFile, string>> {
  const read = await readSettingsText(path);
  if (read.ok) return ok({ path, real: await realpath(path), ...read.value });
  if (read.error !== "absent") return err(read.error.problem);
  const leadsNowhere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (leadsNowhere) return err("expected a file, got a link that leads nowhere");
  return ok({ path, real: path, text: null, mode: OWN_MODE });
}

/**
 * Replaces the text atomically, keeping mode and link. Returns an error if the file changed since it was read: the
 * program that owns it may write it at any time.
 */
export async function writeSettingsFile(file: SettingsFile, text: string): Promise<Result<void, string>> {
  const { path, real, mode } = file;
  const temporary = join(dirname(real), `.${basename(real)}.${randomBytes(4).toString("hex")}`);
  try {
    await mkdir(dirname(real), { recursive: true, mode: 0o700 });
    await writeNew(temporary, text, mode);
    const now = await readSettingsFile(path);
    if (!now.ok) return now;
    if (now.value.text !== file.text || now.value.real !== real)
      return err("it was changed by another program at the same moment");
    await rename(temporary, real);
    return ok(undefined);
  } catch (error) {
    return err(`it cannot be written: ${messageOf(error)}`);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Saves a copy of the text beside the file; null if there is nothing to save. */
export async function backUp(
  { path, text, mode }: SettingsFile,
  clock: Clock,
  before: "change" | "move" = "change",
): Promise<Result<string | null, string>> {
  if (text === null) return ok(null);
  const time = new Date(clock()).toISOString().replace(/[:.]/g, "-");
  for (let count = 1; ; count++) {
    const backup = `${path}${BACKUP}${time}${count === 1 ? "" : `-${count}`}${before === "move" ? MOVED : ""}`;
    try {
      await writeNew(backup, text, mode);
      return ok(backup);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isTaken || count === MOST_BACKUPS) return err(`a backup cannot be written: ${messageOf(error)}`);
    }
  }
}

/** Its backups, newest first. */
export async function* backupsOf(path: string): AsyncGenerator<Backup> {
  const names = await readdir(dirname(path)).catch(() => []);
  const backups = names.filter((name) => name.startsWith(basename(path) + BACKUP)).sort();
  for (const name of backups.reverse().slice(0, MOST_BACKUPS)) {
    const backup = join(dirname(path), name);
    const read = await readSettingsText(backup);
    if (read.ok) yield { path: backup, text: read.value.text, isOfMove: name.endsWith(MOVED) };
  }
}

export async function removeSettingsFile({ path }: SettingsFile): Promise<void> {
  await rm(path, { force: true });
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, "wx", OWN_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  // The mode at opening is narrowed by the umask; the one of the person's file is kept as it is.
  await chmod(path, mode);
}
