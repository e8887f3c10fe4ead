import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";

/** Told once whether a line was sent. */
type Done = (error?: SdkError) => void;

interface Posted {
  readonly line: string;
  readonly done: Done;
}

const PAUSE_MS = 2;

/**
 * Writes lines to the input of a process. What is posted in the same turn of the event loop leaves in one write, which
 * costs as much for many lines as for one; as long as lines come one by one, each leaves at once.
 */
export class LineWriter {
  readonly #input: Writable;
  readonly #maxBytes: number;
  #outbox: Posted[] = [];
  #outboxChars = 0;
  /** In this turn. */
  #posted = 0;
  #isBusy = false;
  #writing = 0;
  #isBroken = false;

  /** `maxBytes`: how much may wait for a process that does not read. */
  constructor(input: Writable, maxBytes: number) {
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  /** Whether something could not be written. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** `line` is without its end. `isAlone`: no other is expected meanwhile, so that nobody has to look out for some. */
  post(line: string, done: Done, isAlone = false): void {
    const { writable, writableLength } = this.#input;
    if (!writable) done(this.#failed("its input is closed", "unsent"));
    else if (writableLength + this.#outboxChars > this.#maxBytes)
      done(this.#failed("it does not read its input", "unsent"));
    else if (isAlone && this.#outbox.length === 0) this.#write(`${line}\n`, [done]);
    else {
      if (this.#posted++ === 0) setImmediate(this.#flush);
      if (this.#posted > 1 || this.#isBusy) {
        this.#outbox.push({ line, done });
        this.#outboxChars += line.length;
      } else this.#write(`${line}\n`, [done]);
    }
  }

  /** Resolves when everybody has been told. */
  async written(): Promise<void> {
    while (this.#writing > 0 || this.#outbox.length > 0) await delay(PAUSE_MS, undefined, { ref: false });
  }

  readonly #flush = (): void => {
    // Where several came in one turn, several will come in the next.
    this.#isBusy = this.#posted > 1;
    this.#posted = 0;
    const posted = this.#outbox;
    if (posted.length === 0) return;
    this.#outbox = [];
    this.#outboxChars = 0;
    if (!this.#input.writable) {
      for (const { done } of posted) done(this.#failed("its input is closed", "unsent"));
      return;
    }
    let lines = "";
    for (const { line } of posted) lines += `${line}\n`;
    this.#write(
      lines,
      posted.map(({ done }) => done),
    );
  };

  #write(lines: string, done: readonly Done[]): void {
    // Written together with others, an error does not tell which of them had left already.
    const extent = this.#input.writableLength === 0 && done.length === 1 ? "unsent" : "unknown";
    this.#writing++;
    this.#input.write(lines, (error) => {
      this.#writing--;
      const failed = error ? this.#failed(error.message, extent) : undefined;
      for (const each of done) each(failed);
    });
  }

  /** `unsent`: not a whole line can have reached the process, so it never acts on it. */
  #failed(reason: string, extent: "unsent" | "unknown"): SdkError {
    this.#isBroken = true;
    return new SdkError(SdkErrorCode.SendFailed, reason, extent);
  }
}
