import type { Command } from "commander";

/** For lists that can be long. What does not fit is refused by the API, which says what does. */
export function pageOptions(command: Command): Command {
  return command
    .option("--limit <count>", "Maximum number of entries (default: 100)")
    .option("--offset <count>", "Number of entries to skip");
}
