import { ERRORS, ToolkeepError } from "./errors.ts";
import { explainSystemError } from "./system-error.ts";

/** Explains a thrown error to a model; undefined if it is a bug, or a problem for the operator of Toolkeep. */
export function explainError(thrown: unknown): string | undefined {
  if (!(thrown instanceof ToolkeepError)) return explainSystemError(thrown);
  if (thrown.status >= 500) return undefined;
  // The catalogue's own remedies are for people at the command line.
  const remedy = thrown.remedy === ERRORS[thrown.code].remedy ? "" : `. ${thrown.remedy}`;
  return `${thrown.message}${remedy}`;
}
