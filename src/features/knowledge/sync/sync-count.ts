import { messageOf } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import { RecentRate } from "../../../lib/flow/recent-rate.ts";
import type { SourceReport, SyncProblem, SyncProgress } from "../contract.ts";

const MAX_PROBLEMS = 50;
const MAX_REASON = 300;
/** How often progress is reported. */
const TELL_MS = 200;

/** Counts what a sync of one source does, and reports it a few times a second. */
export class SyncCount {
  readonly #source: string;
  readonly #onProgress: (progress: SyncProgress) => void;
  readonly #clock: Clock;
  readonly #began: number;
  readonly #problems: SyncProblem[] = [];
  #rate: RecentRate;
  #phase: SyncProgress["phase"] = "scanning";
  #told = Number.NEGATIVE_INFINITY;
  /** The number of files to look at, as far as they were counted. */
  #listed: number | undefined;
  seen = 0;
  unchanged = 0;
  gone = 0;
  #added = 0;
  #changed = 0;
  #failed = 0;
  #chunks = 0;
  #bytes = 0;

  constructor(
    source: string,
    { clock, onProgress }: { readonly clock: Clock; readonly onProgress: (progress: SyncProgress) => void },
  ) {
    this.#source = source;
    this.#onProgress = onProgress;
    this.#clock = clock;
    this.#began = clock();
    this.#rate = new RecentRate(this.#began);
  }

  listed(files: number): void {
    this.#listed = files;
    if (files % 64 === 0) this.tell("scanning");
  }

  saw(bytes: number): void {
    this.seen += 1;
    this.#bytes += bytes;
    // The clock is read only for some files, because most of many files are unchanged.
    if (this.seen % 64 === 0 || this.seen === 1) this.tell();
  }

  wrote(isKnown: boolean, chunks: number): void {
    if (isKnown) this.#changed += 1;
    else this.#added += 1;
    this.#chunks += chunks;
  }

  problem(key: string, reason: string): void {
    this.#failed += 1;
    if (this.#problems.length < MAX_PROBLEMS)
      this.#problems.push({ key, reason: reason.slice(0, MAX_REASON) });
  }

  tell(phase: SyncProgress["phase"] = "reading"): void {
    const now = this.#clock();
    const isNew = phase !== this.#phase;
    if (now - this.#told < TELL_MS && !isNew) return;
    // Listing is much faster than reading, so its rate says nothing about reading.
    if (isNew && phase === "reading") this.#rate = new RecentRate(now);
    this.#phase = phase;
    this.#told = now;
    this.#rate.mark(now, phase === "scanning" ? (this.#listed ?? 0) : this.seen);
    const total = this.#listed !== undefined && { total: Math.max(this.#listed, this.seen) };
    this.#onProgress({ ...this.#counts(), phase, rate: this.#rate.perSecond, ...total });
  }

  report(error?: unknown): SourceReport {
    this.tell("done");
    return {
      ...this.#counts(),
      total: this.seen,
      ok: error === undefined,
      ...(error !== undefined && { error: messageOf(error).slice(0, MAX_REASON) }),
      durationMs: this.#clock() - this.#began,
      problems: this.#problems,
    };
  }

  #counts() {
    return {
      source: this.#source,
      seen: this.seen,
      added: this.#added,
      changed: this.#changed,
      unchanged: this.unchanged,
      gone: this.gone,
      failed: this.#failed,
      chunks: this.#chunks,
      bytes: this.#bytes,
    };
  }
}
