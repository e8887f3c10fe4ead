import type { Clock } from "../../lib/clock.ts";
import type { ConnectStep, ServerLogEntry, ServerLogPage } from "../contract.ts";

/** Called when a step begins, which ends the previous one. */
export type StepListener = (step: ConnectStep) => void;

const MAX_ENTRIES = 2_000;
const MAX_CHARS = 512 * 1024;
const MAX_LINE = 4_096;
/** No secret is longer, so a secret that is cut here cannot start before `MAX_LINE`. */
const LONGEST_SECRET = 64 * 1024;
const MAX_LEVEL = 32;
/** The number of lines kept from one chunk of stderr. */
const MAX_LINES_AT_ONCE = 1_000;

/** Keeps the last lines of a server in memory, beyond the life of its process. Redacts on reading, so that writing stays cheap. */
export class ServerLog {
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  readonly #entries: ServerLogEntry[] = [];
  readonly #watchers = new Set<StepListener>();
  #chars = 0;
  #seq = 0;
  #junkLines = 0;
  /** A line of stderr without its line break yet. */
  #openLine = "";

  constructor(clock: Clock, redact: (text: string) => string) {
    this.#clock = clock;
    this.#redact = redact;
  }

  /** Takes stderr in whole or partial lines. Returns false if the chunk exceeded what is kept, so that the reader can pause. */
  addStderr(chunk: string): boolean {
    const lines = chunk.split("\n");
    const isFlood = lines.length > MAX_LINES_AT_ONCE;
    const [first, ...rest] = isFlood ? lines.slice(-MAX_LINES_AT_ONCE) : lines;
    this.#openLine = truncate((isFlood ? "" : this.#openLine) + truncate(first!));
    for (const line of rest) {
      this.#endLine();
      this.#openLine = truncate(line);
    }
    return !isFlood;
  }

  /** The process has ended: an unfinished line counts as complete. */
  endStderr(): void {
    this.#endLine();
  }

  addState(state: string, detail?: string): void {
    this.#add({ kind: "state", text: detail === undefined ? state : `${state}: ${detail}` });
  }

  /** Reports the progress of connecting to current watchers. */
  reportStep(step: ConnectStep): void {
    for (const watcher of this.#watchers) watcher(step);
  }

  /** Returns the function that stops watching. */
  watchSteps(watcher: StepListener): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  addMessage(level: string, text: string): void {
    this.#add({ kind: "message", level: level.slice(0, MAX_LEVEL), text });
  }

  addJunk(line: string): void {
    this.#junkLines++;
    const last = this.#entries.at(-1);
    const count = last?.kind === "junk" ? this.#drop(last).count! + 1 : 1;
    this.#add({ kind: "junk", text: line, count });
  }

  /** The last `limit` entries after `since`, with all secrets known by now redacted. */
  read({ since = 0, limit = MAX_ENTRIES }: { since?: number; limit?: number } = {}): ServerLogPage {
    // A cursor from before the daemon restarted is larger than any current sequence number.
    const after = since > this.#seq ? 0 : since;
    const entries = this.#entries.filter(({ seq }) => seq > after).slice(-Math.max(1, limit));
    return {
      entries: entries.map((entry) => ({ ...entry, text: this.#redactLine(entry.text) })),
      cursor: this.#seq,
      junkLines: this.#junkLines,
    };
  }

  #endLine(): void {
    const line = this.#openLine.replace(/\r$/, "");
    this.#openLine = "";
    if (line.trim() !== "") this.#add({ kind: "stderr", text: line });
  }

  #add(entry: Omit<ServerLogEntry, "seq" | "at">): void {
    const text = truncate(entry.text);
    this.#entries.push({ ...entry, text, seq: ++this.#seq, at: this.#clock() });
    this.#chars += text.length;
    while (this.#entries.length > MAX_ENTRIES || this.#chars > MAX_CHARS) this.#drop(this.#entries[0]!);
  }

  /** `entry` must be the first or the last one. */
  #drop(entry: ServerLogEntry): ServerLogEntry {
    if (this.#entries[0] === entry) this.#entries.shift();
    else this.#entries.pop();
    this.#chars -= entry.text.length;
    return entry;
  }

  #redactLine(text: string): string {
    const redacted = this.#redact(text);
    return redacted.length <= MAX_LINE ? redacted : `${redacted.slice(0, MAX_LINE)}…`;
  }
}

/** Copies when it cuts, because a slice would keep the whole text alive. */
function truncate(text: string): string {
  if (text.length <= MAX_LINE + LONGEST_SECRET) return text;
  return Buffer.from(text.slice(0, MAX_LINE + LONGEST_SECRET), "utf8").toString("utf8");
}
