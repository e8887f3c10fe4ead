import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { withoutCredentials } from "../../../call/vault/credentials.ts";

export const LOG_FILE = "daemon.log";
/** Including the one that is being written. */
export const LOG_FILES = 5;
export const MAX_LOG_BYTES = 5_000_000;

export interface LogFile {
  /** Appends one line. Never throws: a log that cannot be written must stop nothing. */
  write(line: string): void;
  close(): void;
}

/**
 * The log of a daemon in its home: `daemon.log`, and older parts as `daemon.log.1` to `.4`, readable by the owner only.
 * If the home is missing, nothing is written and no folder is created: a deleted home must not come back half.
 */
export function openLogFile(home: string, { maxBytes = MAX_LOG_BYTES, files = LOG_FILES } = {}): LogFile {
  const path = join(home, LOG_FILE);
  let file: number | undefined;
  let bytes = 0;

  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const open = (): number => {
    if (file !== undefined) return file;
    file = openSync(path, "a", 0o600);
    bytes = fstatSync(file).size;
    return file;
  };
  const rotate = () => {
    close();
    rmSync(`${path}.${files - 1}`, { force: true });
    for (let part = files - 2; part >= 1; part--) renameIfPresent(`${path}.${part}`, `${path}.${part + 1}`);
    renameIfPresent(path, `${path}.1`);
  };
  return {
    write(line) {
      try {
        const safe = Buffer.from(withoutCredentials(line).text.slice(0, maxBytes));
        open();
        if (bytes > 0 && bytes + safe.length > maxBytes) rotate();
        writeSync(open(), safe);
        bytes += safe.length;
      } catch {
        close();
      }
    },
    close,
  };
}

function renameIfPresent(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
