import { type Definition, toolOf } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { explainSystemError } from "./system-error.ts";

export { failed, output, outputContent } from "../define-tool.ts";

/** A tool of the core floor. A full disk or a missing right is an answer, not a bug. */
export function defineTool<Args extends object>(definition: Definition<Args>): Tool {
  return toolOf(definition, { origin: "native", floor: true, wildcard: true }, explainSystemError);
}
