import type { Clock } from "../../lib/clock.ts";
import { LineSplitter } from "../../lib/lines.ts";
import type { PluginLogLine } from "./contract.ts";

const MAX_LINES = 200;
const MAX_LINE = 2_000;
/** No secret is longer. So a secret that was cut off beyond this length cannot have started before `MAX_LINE`. */
const MAX_SECRET_LENGTH = 64 * 1024;
/** In UTF-8. */
const MAX_BYTES_PER_CHARACTER = 4;

/** The last lines that a plugin printed, and events of its processes. */
export class PluginLog {
  readonly #clock: Clock;
  readonly #lines: PluginLogLine[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(text: string): void {
    this.#lines.push({ at: this.#clock(), text: cutText(text) });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** Accepts chunks of a stream, which may contain partial lines. */
  writer(): { write(chunk: Buffer): void; end(): void } {
    const splitter = new LineSplitter(MAX_BYTES_PER_CHARACTER * (MAX_LINE + MAX_SECRET_LENGTH), "cut");
    const addLine = (line: string) => {
      if (line.trim() !== "") this.add(line);
    };
    return { write: (chunk) => void splitter.write(chunk, addLine), end: () => addLine(splitter.end()) };
  }

  /** Oldest first, with all secrets known by now removed. */
  read(redact: (text: string) => string): readonly PluginLogLine[] {
    return this.#lines.map(({ at, text }) => ({ at, text: redact(text).slice(0, MAX_LINE) }));
  }
}

/** Copies the cut text, because a slice would keep the whole original alive. */
function cutText(text: string): string {
  if (text.length <= MAX_LINE + MAX_SECRET_LENGTH) return text;
  return Buffer.from(text.slice(0, MAX_LINE + MAX_SECRET_LENGTH), "utf8").toString("utf8");
}
