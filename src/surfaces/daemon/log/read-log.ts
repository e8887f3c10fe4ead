import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LOG_FILE, LOG_FILES, MAX_LOG_BYTES } from "./log-file.ts";

const CHECK_EVERY_MS = 300;
/** The most bytes read at once; the rest follows in the next read. */
const MAX_READ = 1_000_000;

/** Reads the newest lines of a home's log, oldest first, from as many parts as needed. */
export async function readLastLogLines(home: string, count: number): Promise<readonly string[]> {
  let lines: string[] = [];
  for (let part = 0; part < LOG_FILES && lines.length < count; part++) {
    const path = join(home, part === 0 ? LOG_FILE : `${LOG_FILE}.${part}`);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) break;
    // Another program may have made the file any size.
    if (size > 4 * MAX_LOG_BYTES) break;
    const text = await readFile(path, "utf8").catch(() => "");
    lines = [...text.split("\n").filter((line) => line !== ""), ...lines];
  }
  return lines.slice(-count);
}

/** Yields lines as they are appended, also after the log was rotated. Ends when `signal` aborts. */
export async function* followLog(home: string, signal: AbortSignal): AsyncGenerator<string> {
  const path = join(home, LOG_FILE);
  const first = await stat(path).catch(() => undefined);
  let at = { inode: first?.ino, offset: first?.size ?? 0 };
  let rest = "";
  while (!signal.aborted) {
    const read = await readAppended(path, at);
    at = read.at;
    const lines = (rest + read.text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
    if (read.text === "") await sleep(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Position {
  readonly inode: number | undefined;
  readonly offset: number;
}

async function readAppended(path: string, at: Position): Promise<{ at: Position; text: string }> {
  const file = await open(path, "r").catch(() => undefined);
  if (!file) return { at, text: "" };
  try {
    const { ino, size } = await file.stat();
    const from = ino === at.inode && size >= at.offset ? at.offset : 0;
    const { bytesRead, buffer } = await file.read(
      Buffer.alloc(Math.min(size - from, MAX_READ)),
      0,
      undefined,
      from,
    );
    return { at: { inode: ino, offset: from + bytesRead }, text: buffer.toString("utf8", 0, bytesRead) };
  } finally {
    await file.close();
  }
}
