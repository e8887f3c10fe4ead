import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { Run } from "../shell.ts";

/**
 * Reads a secret for the option `what`: the value itself, `-` for standard input, `@file`, or true to ask the person
 * with hidden input. Only the last three keep it out of the shell's history and the process list.
 */
export async function readSecret(run: Run, what: string, given: string | true = true): Promise<string> {
  if (given === "-") return stripLineEnd(await run.terminal.read());
  if (given === true) return await askSecret(run, what);
  if (!given.startsWith("@")) return given;
  const file = resolve(run.terminal.cwd, given.slice(1));
  return stripLineEnd(
    await readFile(file, "utf8").catch((error: unknown) => {
      throw new ToolkeepError("BAD_USAGE", `${what} cannot be read: ${messageOf(error)}`);
    }),
  );
}

async function askSecret({ terminal }: Run, what: string): Promise<string> {
  if (!terminal.interactive)
    throw new ToolkeepError("BAD_USAGE", `cannot ask without a terminal; give ${what} a value`);
  const { isCancel, password } = await import("@clack/prompts");
  // Standard output is for the command's answer and may be a file.
  const answer = await password({ message: what, output: process.stderr });
  if (isCancel(answer)) throw new ToolkeepError("CANCELLED", `cancelled; ${what} got no value`);
  return answer;
}

function stripLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
