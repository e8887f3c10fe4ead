import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ToolkeepError } from "../../../contract/errors.ts";
import { identityOf, isSameFile } from "../../../machine/files/file-identity.ts";

const EVERY_MS = 1_000;
/** A file server that is away for a moment is no lost home. */
const TIMES = 2;
/** What a daemon has open, beside the home itself; those that there are. */
const FILES = ["lock.db", "toolkeep.db", "toolkeep.db-wal"];

/**
 * Looks every second whether the home is still the one that the daemon began with. One that was deleted, moved or
 * replaced can be written for as long as its files are open, and nobody will ever read what was written.
 */
export class HomeWatch {
  /** Resolves when the home is lost, with what to say; never, where it stays. */
  readonly lost: Promise<ToolkeepError>;
  readonly #stop = new AbortController();

  constructor(home: string, everyMs = EVERY_MS) {
    const known = new Map(
      [home, ...FILES.map((name) => join(home, name))].map((path) => [path, identityOf(path)]),
    );
    this.lost = new Promise((resolve) => {
      void this.#watch(known, everyMs).then((path) => {
        if (path !== undefined) resolve(lostHome(home, path));
      });
    });
  }

  close(): void {
    this.#stop.abort();
  }

  /** What is another, or gone; undefined once it was closed. */
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
        // The journal comes with the first write.
        if (before === undefined) known.set(path, now);
        return !isSameFile(before, now);
      });
      times = changed && !signal.aborted ? times + 1 : 0;
      if (changed && times >= TIMES) return changed[0];
    }
    return undefined;
  }
}

function lostHome(home: string, path: string): ToolkeepError {
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
