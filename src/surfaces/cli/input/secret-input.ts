import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { Run } from "../shell.ts";

/**
 * A secret for the option `what`: as it was typed, `-` for standard input, `@file`, or true to ask the person here,
 * unseen. Only the last three keep it out of the shell's history and the list of processes.
 */
export async function readSecret(run: Run, what: string, given: string | true = true): Promise<string> {
  if (given === "-") return withoutLineEnd(await run.terminal.read());
  if (given === true) return await askFor(run, what);
  if (!given.startsWith("@")) return given;
  const file = resolve(run.terminal.cwd, given.slice(1));
  return withoutLineEnd(
    await readFile(file, "utf8").catch((error: unknown) => {
      throw new ToolkeepError("BAD_USAGE", `${what} cannot be read: ${messageOf(error)}`);
    }),
  );
}

async function askFor({ terminal }: Run, what: string): Promise<string> {
  if (!terminal.interactive) throw new ToolkeepError("BAD_USAGE", `Not a terminal: give ${what} a value`);
  const { isCancel, password } = await import("@clack/prompts");
  // Standard output is for the answer and may be a file.
  const answer = await password({ message: what, output: process.stderr });
  if (isCancel(answer)) throw new ToolkeepError("CANCELLED", `no value was given for ${what}`);
  return answer;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
