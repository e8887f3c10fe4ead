import type { Terminal } from "../terminal.ts";

/** A text as typed; `-` for standard input, where longer ones come from. */
export async function textInput(given: string, terminal: Pick<Terminal, "read">): Promise<string> {
  return given === "-" ? terminal.read() : given;
}
