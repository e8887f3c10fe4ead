import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Log } from "../../../lib/log.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** More than the time that a machine is normally off: a weekend, or a week. */
const MAX_AHEAD_MS = 10 * DAY_MS;
/** Less than a day, so that a daily cleaning is not skipped because it starts a second early. */
const HOLD_MS = 20 * HOUR_MS;
const FILE = "clock-seen";

export interface ClockWatchDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both in milliseconds since the epoch. */
interface ClockReading {
  /** The time at the last check. */
  readonly at: number;
  /** The clock is believed from this time on. */
  readonly believedFrom: number;
}

/**
 * Decides whether the clock can be believed when something is to be removed. A clock that is far ahead makes everything
 * look old. If it moved by more than ten days since the last check, it is not believed for a day, and the log says so.
 * The home keeps the last time, so that a restart does not shorten the day.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #seen: Promise<ClockReading | undefined>;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
    this.#seen = readLastReading(deps.home);
  }

  /** Never rejects. */
  async isBelieved(): Promise<boolean> {
    const now = this.#deps.clock();
    // Checks run one after the other because they write the same file.
    this.#seen = this.#seen.then((last) => this.#look(last, now));
    return now >= (await this.#seen)!.believedFrom;
  }

  async #look(last: ClockReading | undefined, now: number): Promise<ClockReading> {
    const isAhead = last === undefined || now - last.at > MAX_AHEAD_MS;
    // If the clock was set back, the wait ends at most a day from the new time.
    const believedFrom = isAhead ? now + HOLD_MS : Math.min(last.believedFrom, now + HOLD_MS);
    if (isAhead && last !== undefined) this.#warn(last.at, now);
    const seen = { at: now, believedFrom };
    await writeReading(this.#deps.home, seen).catch((error) =>
      // A full disk must not stop the cleaning that would make room on it.
      this.#deps.log.debug({ cause: messageOf(error) }, `${FILE} cannot be written`),
    );
    return seen;
  }

  #warn(before: number, now: number): void {
    const days = Math.round((now - before) / DAY_MS);
    this.#deps.log.warn(
      { days, before: new Date(before).toISOString(), now: new Date(now).toISOString() },
      `the clock of this machine is ${days} days ahead of the last check; nothing is removed for its age until a day has passed. Check the clock`,
    );
  }
}

/** Undefined if the file is missing or cannot be read. */
async function readLastReading(home: string): Promise<ClockReading | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(join(home, FILE), "utf8"));
    if (!isRecord(read)) return undefined;
    const { at, believedFrom } = read;
    return isTime(at) && isTime(believedFrom) ? { at, believedFrom } : undefined;
  } catch {
    return undefined;
  }
}

/** Written in place: a half-written file counts as none, which only costs another day of waiting. */
async function writeReading(home: string, seen: ClockReading): Promise<void> {
  await writeFile(join(home, FILE), `${JSON.stringify(seen)}\n`, { mode: 0o600 });
}

/** The range that a Date can represent. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}
