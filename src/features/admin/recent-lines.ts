const MAX_LINES = 1_000;
const MAX_LINE = 4_000;

/** Keeps the newest 1,000 lines of a log, oldest first, each cut at 4,000 characters. */
export class RecentLines {
  readonly #lines: string[] = [];
  #next = 0;

  add(line: string): void {
    this.#lines[this.#next] = line.slice(0, MAX_LINE);
    this.#next = (this.#next + 1) % MAX_LINES;
  }

  all(): readonly string[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
  }
}
