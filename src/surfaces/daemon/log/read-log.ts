import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LOG_FILE, LOG_FILES, MAX_LOG_BYTES } from "./log-file.ts";

const LOOK_EVERY_MS = 300;
/** Read at once of what was appended; the rest follows. */
const MAX_READ = 1_000_000;

/** The newest lines of the log of a home, oldest first, from as many of its parts as it takes. */
export async function lastLogLines(home: string, count: number): Promise<readonly string[]> {
  let lines: string[] = [];
  for (let part = 0; part < LOG_FILES && lines.length < count; part++) {
    const path = join(home, part === 0 ? LOG_FILE : `${LOG_FILE}.${part}`);
    const size = await stat(path).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) break;
    // What others made of it may be of any size.
    if (size > 4 * MAX_LOG_BYTES) break;
    const text = await readFile(path, "utf8").catch(() => "");
    lines = [...text.split("\n").filter((line) => line !== ""), ...lines];
  }
  return lines.slice(-count);
}

/** Lines as they are appended from now on, also after the log went on in a new file. Ends when `signal` does. */
export async function* followLog(home: string, signal: AbortSignal): AsyncGenerator<string> {
  const path = join(home, LOG_FILE);
  const first = await stat(path).catch(() => undefined);
  let at = { inode: first?.ino, offset: first?.size ?? 0 };
  let rest = "";
  while (!signal.aborted) {
    const read = await appended(path, at);
    at = read.at;
    const lines = (rest + read.text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
    if (read.text === "") await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

interface Position {
  readonly inode: number | undefined;
  readonly offset: number;
}

async function appended(path: string, at: Position): Promise<{ at: Position; text: string }> {
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
