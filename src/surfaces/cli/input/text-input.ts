import type { Terminal } from "../terminal.ts";

/** The text as given, or standard input for `-`. */
export async function textInput(given: string, terminal: Pick<Terminal, "read">): Promise<string> {
  return given === "-" ? terminal.read() : given;
}
