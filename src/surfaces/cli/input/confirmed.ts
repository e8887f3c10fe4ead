import { type ErrorCode, ToolkeepError } from "../../../contract/errors.ts";
import type { Run } from "../shell.ts";

interface Confirming {
  /** What is said where the person says no. */
  readonly no: string;
  readonly initially?: boolean;
  /** Where nobody can be asked: what to look at before `--yes`. */
  readonly first?: string;
  readonly code?: ErrorCode;
}

/** Resolves when the person at the terminal says yes. Throws `code`, else BAD_USAGE, where nobody can be asked; CANCELLED with `no` when they do not. */
export async function confirmed(
  run: Run,
  message: string,
  { no, initially = true, first, code = "BAD_USAGE" }: Confirming,
): Promise<void> {
  if (!run.terminal.interactive || run.json) throw notATerminal(run, code, first);
  const { confirm } = await import("@clack/prompts");
  // Standard output is for the answer and may be a file.
  const answer = await confirm({ message, initialValue: initially, output: process.stderr });
  if (answer !== true) throw new ToolkeepError("CANCELLED", no);
}

export function notATerminal(
  { terminal }: Run,
  code: ErrorCode,
  first?: string,
  remedy?: string,
): ToolkeepError {
  const why = terminal.interactive ? "With --json nobody is asked" : "Not a terminal";
  return new ToolkeepError(code, `${why}: pass --yes${first === undefined ? "" : `, after ${first}`}`, {
    ...(remedy !== undefined && { remedy }),
  });
}
