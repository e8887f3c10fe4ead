import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Log } from "../../../lib/log.ts";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
/** A machine that was off for a weekend, or is used once a week, is nothing unusual. */
const MAX_AHEAD_MS = 10 * DAY_MS;
/** Less than a day, so that what is done every day is not put off by a second. */
const HOLD_MS = 20 * HOUR_MS;
const FILE = "clock-seen";

export interface ClockWatchDeps {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Both in milliseconds since the epoch. */
interface Seen {
  /** What the clock said when it was last looked at. */
  readonly at: number;
  /** From then on its word counts. */
  readonly believedFrom: number;
}

/**
 * Whether what the clock says is enough to remove something. A clock that is far ahead makes everything look old: so
 * one that went on by more than ten days since it was last looked at is not believed for a day, and the log says so.
 * What the clock said is kept in the home, so that starting again does not shorten the day.
 */
export class ClockWatch {
  readonly #deps: ClockWatchDeps;
  #seen: Promise<Seen | undefined>;

  constructor(deps: ClockWatchDeps) {
    this.#deps = deps;
    this.#seen = readSeen(deps.home);
  }

  /** Never rejects. */
  async isBelieved(): Promise<boolean> {
    const now = this.#deps.clock();
    // One after the other: they write the same file.
    this.#seen = this.#seen.then((last) => this.#look(last, now));
    return now >= (await this.#seen)!.believedFrom;
  }

  async #look(last: Seen | undefined, now: number): Promise<Seen> {
    const isAhead = last === undefined || now - last.at > MAX_AHEAD_MS;
    // A clock that was set back ends a wait that was counted by what it said before.
    const believedFrom = isAhead ? now + HOLD_MS : Math.min(last.believedFrom, now + HOLD_MS);
    if (isAhead && last !== undefined) this.#warn(last.at, now);
    const seen = { at: now, believedFrom };
    await writeSeen(this.#deps.home, seen).catch((error) =>
      // A full disk must not keep anybody from making room on it.
      this.#deps.log.debug({ cause: messageOf(error) }, `${FILE} cannot be written`),
    );
    return seen;
  }

  #warn(before: number, now: number): void {
    const days = Math.round((now - before) / DAY_MS);
    this.#deps.log.warn(
      { days, before: new Date(before).toISOString(), now: new Date(now).toISOString() },
      `the clock of this machine is ${days} days ahead of when it was last looked at; nothing is removed for being old until a day has passed. Check the clock`,
    );
  }
}

/** Undefined where there is none, or nobody can read it. */
async function readSeen(home: string): Promise<Seen | undefined> {
  try {
    const read: unknown = JSON.parse(await readFile(join(home, FILE), "utf8"));
    if (!isRecord(read)) return undefined;
    const { at, believedFrom } = read;
    return isTime(at) && isTime(believedFrom) ? { at, believedFrom } : undefined;
  } catch {
    return undefined;
  }
}

/** In place: what is half written counts as none, which costs a day of waiting and nothing else. */
async function writeSeen(home: string, seen: Seen): Promise<void> {
  await writeFile(join(home, FILE), `${JSON.stringify(seen)}\n`, { mode: 0o600 });
}

/** What a date can hold. */
function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}
