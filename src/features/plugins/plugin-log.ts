import type { Clock } from "../../lib/clock.ts";
import { LineSplitter } from "../../lib/lines.ts";

export interface PluginLogLine {
  readonly at: number;
  readonly text: string;
}

const MAX_LINES = 200;
const MAX_LINE = 2_000;
/** No secret is longer, so what was cut off behind this cannot have begun before `MAX_LINE`. */
const LONGEST_SECRET = 64 * 1024;
/** The longest character of UTF-8. */
const BYTES_A_CHARACTER = 4;

/** The last lines that a plugin printed, and what became of its process. */
export class PluginLog {
  readonly #clock: Clock;
  readonly #lines: PluginLogLine[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(text: string): void {
    this.#lines.push({ at: this.#clock(), text: bounded(text) });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** Takes text as a stream gives it, lines whole or in pieces. */
  writer(): { write(chunk: Buffer): void; end(): void } {
    const splitter = new LineSplitter(BYTES_A_CHARACTER * (MAX_LINE + LONGEST_SECRET), "cut");
    const addLine = (line: string) => {
      if (line.trim() !== "") this.add(line);
    };
    return { write: (chunk) => void splitter.write(chunk, addLine), end: () => addLine(splitter.end()) };
  }

  /** Oldest first, without any secret known by now. */
  read(redact: (text: string) => string): readonly PluginLogLine[] {
    return this.#lines.map(({ at, text }) => ({ at, text: redact(text).slice(0, MAX_LINE) }));
  }
}

/** Copied where it is cut: a slice would keep the whole text alive behind it. */
function bounded(text: string): string {
  if (text.length <= MAX_LINE + LONGEST_SECRET) return text;
  return Buffer.from(text.slice(0, MAX_LINE + LONGEST_SECRET), "utf8").toString("utf8");
}
