import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../contract/system-error.ts";
import type { NewId } from "../../lib/id.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type HeldFolder, holdFolder } from "./held-folder.ts";
import { refusalOf } from "./open-file.ts";
import type { FilePlace } from "./workspace.ts";

/**
 * Puts `bytes` at `place`, whole or not at all: readers see the old file or the new one. Missing folders are
 * created; mode and owner of an existing file stay. The value says whether there was one.
 */
export async function replaceFile(
  place: FilePlace,
  bytes: Buffer,
  newId: NewId,
): Promise<Result<boolean, string>> {
  const folder = await holdOrCreate(dirname(place.real));
  try {
    const target = folder.at(basename(place.real));
    const old = await lstat(target).catch(absent);
    const refusal = old && !old.isSymbolicLink() ? refusalOf(old, place.shown) : undefined;
    if (refusal) return err(refusal);
    if (old?.isFile()) await access(target, constants.W_OK);
    const temporary = folder.at(`.${newId("tmp")}`);
    try {
      await writeNew(temporary, bytes, old?.isFile() ? old : undefined);
      await rename(temporary, target);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
    return ok(old !== undefined);
  } finally {
    await folder.close();
  }
}

/** Creates missing folders step by step, each inside the held parent. */
async function holdOrCreate(real: string): Promise<HeldFolder> {
  try {
    return await holdFolder(real);
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT" || dirname(real) === real) throw thrown;
  }
  const parent = await holdOrCreate(dirname(real));
  try {
    await mkdir(parent.at(basename(real))).catch(alreadyThere);
  } finally {
    await parent.close();
  }
  return holdFolder(join(parent.real, basename(real)));
}

async function writeNew(path: string, bytes: Buffer, old: Stats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (old) await keepOwnerAndMode(handle, old);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: FileHandle, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only root may change the owner. For other users the new file belongs to the writer.
  if (uid !== old.uid || gid !== old.gid) await handle.chown(old.uid, old.gid).catch(() => {});
  await handle.chmod(old.mode & 0o7777);
}

function absent(thrown: unknown): undefined {
  if (systemCode(thrown) !== "ENOENT") throw thrown;
}

function alreadyThere(thrown: unknown): void {
  if (systemCode(thrown) !== "EEXIST") throw thrown;
}
