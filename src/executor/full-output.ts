import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { holdFolder } from "../native/held-folder.ts";

const FOLDER = ".outputs";
const KEEP_MS = 24 * 3_600_000;
const MAX_KEPT = 500;

/**
 * Keeps the whole of an output that was cut, in the workspace of the agent that asked for it, for 24 hours.
 * Returns the path as the agent's file tools know it; undefined when it could not be written.
 */
export async function keepOutput(
  workspace: string,
  callId: string,
  whole: string,
  clock: Clock,
): Promise<{ path: string; bytes: number } | undefined> {
  const name = `${callId}.txt`;
  try {
    await mkdir(join(workspace, FOLDER), { recursive: true, mode: 0o700 });
    // The agent owns its workspace and may put a link to somewhere else in our place, at any moment.
    const folder = await holdFolder(join(await realpath(workspace), FOLDER));
    try {
      await removeOld(folder.at(), clock());
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      await using file = await open(folder.at(name), flags, 0o600);
      await file.writeFile(whole);
    } finally {
      await folder.close();
    }
    return { path: `${FOLDER}/${name}`, bytes: Buffer.byteLength(whole) };
  } catch {
    return undefined;
  }
}

async function removeOld(folder: string, now: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".txt"));
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await lstat(join(folder, name))).mtimeMs })),
  );
  files.sort((a, b) => b.at - a.at);
  const old = files.filter((file, index) => index >= MAX_KEPT - 1 || now - file.at > KEEP_MS);
  await Promise.all(old.map((file) => rm(file.path, { force: true })));
}
