import { ToolkeepError } from "../errors.ts";
import type { Run } from "./shell.ts";

/** Resolves when the person at the terminal says yes. Throws `nobody` where there is none, CANCELLED with `no` when they do not. */
export async function confirmed(
  run: Run,
  message: string,
  {
    nobody,
    no,
    initially = true,
  }: { readonly nobody: ToolkeepError; readonly no: string; readonly initially?: boolean },
): Promise<void> {
  if (!run.terminal.interactive || run.json) throw nobody;
  const { confirm } = await import("@clack/prompts");
  // Standard output is for the answer and may be a file.
  const answer = await confirm({ message, initialValue: initially, output: process.stderr });
  if (answer !== true) throw new ToolkeepError("CANCELLED", no);
}
