import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolkeepError } from "../../../contract/errors.ts";
import { identityOf, isSameFile } from "../../../machine/files/file-identity.ts";

const EVERY_MS = 1_000;
/** The home counts as lost only after this many failed checks, because a file server can be away for a moment. */
const FAILED_CHECKS = 2;
/** The files that a daemon keeps open, besides the home itself. Not all of them exist. */
const FILES = ["lock.db", "toolkeep.db", "toolkeep.db-wal"];

/**
 * Checks every second whether the home is still the one that the daemon opened. A home that was deleted, moved or
 * replaced can be written as long as its files are open, but nobody will ever read those writes.
 */
export class HomeWatch {
  /** Resolves when the home is lost, with the error to report; never while it stays. */
  readonly loss: Promise<ToolkeepError>;
  readonly #stop = new AbortController();

  constructor(home: string, everyMs = EVERY_MS) {
    const known = new Map(
      [home, ...FILES.map((name) => join(home, name))].map((path) => [path, identityOf(path)]),
    );
    this.loss = new Promise((resolve) => {
      void this.#watch(known, everyMs).then((path) => {
        if (path !== undefined) resolve(createLossError(home, path));
      });
    });
  }

  close(): void {
    this.#stop.abort();
  }

  /** Returns the path that was replaced or removed; undefined after `close`. */
  async #watch(
    known: Map<string, ReturnType<typeof identityOf>>,
    everyMs: number,
  ): Promise<string | undefined> {
    const { signal } = this.#stop;
    let times = 0;
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
      const changed = [...known].find(([path, before]) => {
        const now = identityOf(path);
        // The journal appears with the first write.
        if (before === undefined) known.set(path, now);
        return !isSameFile(before, now);
      });
      times = changed && !signal.aborted ? times + 1 : 0;
      if (changed && times >= FAILED_CHECKS) return changed[0];
    }
    return undefined;
  }
}

function createLossError(home: string, path: string): ToolkeepError {
  const what = path === home ? `The home ${home}` : `${path}, a part of the home,`;
  return new ToolkeepError(
    "STORE_UNAVAILABLE",
    `${what} was deleted, moved or replaced while the daemon used it, so the daemon has stopped: nothing that it writes would be kept.`,
    {
      remedy:
        "Put the home back or restore a backup with toolkeep restore FILE, then start toolkeep serve again.",
    },
  );
}
