import type { Command } from "commander";

/** For lists that can be long. What does not fit is refused by the API, which says what does. */
export function pageOptions(command: Command): Command {
  return command
    .option("--limit <count>", "how many at most; 100 unless given")
    .option("--offset <count>", "how many to leave out first");
}
