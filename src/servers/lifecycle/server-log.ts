import type { Clock } from "../../lib/clock.ts";

/**
 * The steps of connecting, in this order: secrets and settings are put together; the server lets us in (over HTTP
 * only); both say what they speak; the tools are listed. A second attempt begins again.
 */
export const CONNECT_STEPS = ["resolve", "authenticate", "handshake", "list"] as const;

export type ConnectStep = (typeof CONNECT_STEPS)[number];

/** Told when a step begins, which ends the one before. */
export type StepListener = (step: ConnectStep) => void;

/** What a server said beside its answers, and what became of it, oldest first. */
export interface ServerLogEntry {
  /** Counts up; no two entries of a server share one. */
  readonly seq: number;
  readonly at: number;
  /** `stderr`: a line it wrote there. `message`: its MCP logging. `junk`: on stdout, but no message. `state`: ours. */
  readonly kind: "stderr" | "message" | "junk" | "state";
  /** Of a `message`. */
  readonly level?: string;
  readonly text: string;
  /** How many lines of junk came in a row; `text` is the last. */
  readonly count?: number;
}

export interface ServerLogPage {
  readonly entries: readonly ServerLogEntry[];
  /** To be given as `since` for what comes later. */
  readonly cursor: number;
  /** All that ever came since the daemon started, kept or not. */
  readonly junkLines: number;
}

const MAX_ENTRIES = 2_000;
const MAX_CHARS = 512 * 1024;
const MAX_LINE = 4_096;
/** No secret is longer, so what was cut off behind this cannot have begun before `MAX_LINE`. */
const LONGEST_SECRET = 64 * 1024;
const MAX_LEVEL = 32;
/** Of what comes in one piece, the last so many lines of stderr are kept. */
const MAX_LINES_AT_ONCE = 1_000;

/** A bounded memory of the last lines, which outlives the process that wrote them. Costs little while nobody reads. */
export class ServerLog {
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;
  readonly #entries: ServerLogEntry[] = [];
  readonly #watchers = new Set<StepListener>();
  #chars = 0;
  #seq = 0;
  #junkLines = 0;
  /** A line of stderr that has not ended yet. */
  #open = "";

  constructor(clock: Clock, redact: (text: string) => string) {
    this.#clock = clock;
    this.#redact = redact;
  }

  /** Takes text as it comes, lines whole or in pieces. False when it is more than is kept: the rest can wait. */
  stderr(chunk: string): boolean {
    const lines = chunk.split("\n");
    const isFlood = lines.length > MAX_LINES_AT_ONCE;
    const [first, ...rest] = isFlood ? lines.slice(-MAX_LINES_AT_ONCE) : lines;
    this.#open = bounded((isFlood ? "" : this.#open) + bounded(first!));
    for (const line of rest) {
      this.#endLine();
      this.#open = bounded(line);
    }
    return !isFlood;
  }

  /** The process behind stderr is gone: what it left without a line's end is a line. */
  stderrEnded(): void {
    this.#endLine();
  }

  state(state: string, detail?: string): void {
    this.#add({ kind: "state", text: detail === undefined ? state : `${state}: ${detail}` });
  }

  /** How far connecting has come; only for whoever watches just then. */
  step(step: ConnectStep): void {
    for (const watcher of this.#watchers) watcher(step);
  }

  /** Returns the function that stops watching. */
  watchSteps(watcher: StepListener): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  message(level: string, text: string): void {
    this.#add({ kind: "message", level: level.slice(0, MAX_LEVEL), text });
  }

  junk(line: string): void {
    this.#junkLines++;
    const last = this.#entries.at(-1);
    const count = last?.kind === "junk" ? this.#drop(last).count! + 1 : 1;
    this.#add({ kind: "junk", text: line, count });
  }

  /** The entries after `since`, the last `limit` of them, without any secret known by now. */
  read({ since = 0, limit = MAX_ENTRIES }: { since?: number; limit?: number } = {}): ServerLogPage {
    // A cursor from before a restart of the daemon lies ahead of everything.
    const after = since > this.#seq ? 0 : since;
    const entries = this.#entries.filter(({ seq }) => seq > after).slice(-Math.max(1, limit));
    return {
      entries: entries.map((entry) => ({ ...entry, text: this.#shown(entry.text) })),
      cursor: this.#seq,
      junkLines: this.#junkLines,
    };
  }

  #endLine(): void {
    const line = this.#open.replace(/\r$/, "");
    this.#open = "";
    if (line.trim() !== "") this.#add({ kind: "stderr", text: line });
  }

  #add(entry: Omit<ServerLogEntry, "seq" | "at">): void {
    const text = bounded(entry.text);
    this.#entries.push({ ...entry, text, seq: ++this.#seq, at: this.#clock() });
    this.#chars += text.length;
    while (this.#entries.length > MAX_ENTRIES || this.#chars > MAX_CHARS) this.#drop(this.#entries[0]!);
  }

  /** The first or the last entry. */
  #drop(entry: ServerLogEntry): ServerLogEntry {
    if (this.#entries[0] === entry) this.#entries.shift();
    else this.#entries.pop();
    this.#chars -= entry.text.length;
    return entry;
  }

  #shown(text: string): string {
    const redacted = this.#redact(text);
    return redacted.length <= MAX_LINE ? redacted : `${redacted.slice(0, MAX_LINE)}…`;
  }
}

/** Copied where it is cut: a slice would keep the whole text alive behind it. */
function bounded(text: string): string {
  if (text.length <= MAX_LINE + LONGEST_SECRET) return text;
  return Buffer.from(text.slice(0, MAX_LINE + LONGEST_SECRET), "utf8").toString("utf8");
}
