import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

const FOLDER = join(import.meta.dirname, "../pins");
const REWRITE = process.env.TOOLKEEP_PINS === "write";

/**
 * Compares a text with the file in `test/pins/` that says how it has to be. `npm run pins` writes the files anew: do it
 * only where the change is meant, and look at the diff.
 */
export function expectPinned(file: string, text: string): void {
  const path = join(FOLDER, file);
  if (REWRITE) writeFileSync(path, text);
  const pinned = readFileSync(path, "utf8");
  expect(text, `test/pins/${file} says otherwise; where the change is meant: npm run pins`).toBe(pinned);
}
