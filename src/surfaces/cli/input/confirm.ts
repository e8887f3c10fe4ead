import { type ErrorCode, ToolkeepError } from "../../../contract/errors.ts";
import type { Run } from "../shell.ts";

interface ConfirmOptions {
  /** The error message if the person says no. */
  readonly refused: string;
  readonly initialValue?: boolean;
  /** Tells the reader what to do before passing `--yes`, for the error when nobody can be asked. */
  readonly first?: string;
  readonly code?: ErrorCode;
}

/** Resolves if the person at the terminal says yes. Throws CANCELLED with `refused` if they say no, and `code` (BAD_USAGE by default) if nobody can be asked. */
export async function requireConfirmation(
  run: Run,
  message: string,
  { refused, initialValue = true, first, code = "BAD_USAGE" }: ConfirmOptions,
): Promise<void> {
  if (!run.terminal.interactive || run.json) throw cannotAskError(run, code, first);
  const { confirm } = await import("@clack/prompts");
  // Standard output is for the command's answer and may be a file.
  const answer = await confirm({ message, initialValue, output: process.stderr });
  if (answer !== true) throw new ToolkeepError("CANCELLED", refused);
}

export function cannotAskError(
  { terminal }: Run,
  code: ErrorCode,
  first?: string,
  remedy?: string,
): ToolkeepError {
  const reason = terminal.interactive ? "cannot ask with --json" : "cannot ask without a terminal";
  return new ToolkeepError(code, `${reason}; pass --yes${first === undefined ? "" : ` after ${first}`}`, {
    ...(remedy !== undefined && { remedy }),
  });
}
