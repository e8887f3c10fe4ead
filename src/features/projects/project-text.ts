import { ToolkeepError } from "../../contract/errors.ts";
import { MAX_LABELS } from "./contract.ts";

const LABEL = /^[a-z0-9][a-z0-9._:-]{0,39}$/;

/** Texts as they are kept. What is kept is shown to other agents and to people, so no secret stays in it. */
export interface Texts {
  /** Without white space around it. Throws BAD_REQUEST for a text that is nothing but white space. */
  required(what: string, text: string): string;
  optional(text: string): string;
}

export function createTexts(redact: (text: string) => string): Texts {
  return {
    required(what, text) {
      const clean = redact(text).trim();
      if (clean === "") throw new ToolkeepError("BAD_REQUEST", `${what} should say something; it is blank`);
      return clean;
    },
    optional: (text) => redact(text).trim(),
  };
}

/** Labels and tags in small letters, each once, in the order given. Throws BAD_REQUEST. */
export function cleanLabels(noun: "label" | "tag", labels: readonly string[]): string[] {
  const clean = [...new Set(labels.map((label) => label.trim().toLowerCase()))];
  if (clean.length > MAX_LABELS) {
    throw new ToolkeepError(
      "BAD_REQUEST",
      `there may be ${MAX_LABELS} ${noun}s at most; got ${clean.length}`,
    );
  }
  const wrong = clean.find((label) => !LABEL.test(label));
  if (wrong === undefined) return clean;
  throw new ToolkeepError(
    "BAD_REQUEST",
    `a ${noun} is letters a to z, digits and . _ : -, at most 40 of them; got ${JSON.stringify(wrong.slice(0, 80))}`,
  );
}

/** What was changed. Throws CHANGED where somebody else was faster. */
export function unlessChanged<T>(what: string, changed: T | undefined, revision: number | undefined): T {
  if (changed !== undefined) return changed;
  throw new ToolkeepError(
    "CHANGED",
    `${what} was changed by somebody else since its revision ${revision}; read it again, then make the change anew`,
  );
}
