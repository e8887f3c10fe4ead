import type { Command } from "commander";

export interface PageOptions {
  readonly limit?: string;
  readonly offset?: string;
}

/** For lists that can be long. What does not fit is refused by the API, which says what does. */
export function pageOptions(command: Command): Command {
  return command
    .option("--limit <count>", "how many at most; 100 unless given")
    .option("--offset <count>", "how many to leave out first");
}

/** Says that a list goes on, and how to read on. */
export function pageNote({ offset = "0" }: PageOptions, shown: number, total: number): string {
  const end = Number(offset) + shown;
  return shown === 0 || end >= total ? "" : `(${end} of ${total}; read on with --offset ${end})\n`;
}
