import { isRun } from "./pieces.ts";

/** Shorter values would redact ordinary words. */
export const SHORTEST_REDACTED = 6;
/** Shorter lines of a value are too likely to occur elsewhere. */
const SHORTEST_LINE = 16;
const ARMOUR = /^-+(?:BEGIN|END) [A-Z0-9 ]{1,60}-+$/;

/** A value as it is and with either kind of line end, and each of its lines, which may occur alone. */
export function plainForms(value: string): {
  readonly whole: ReadonlySet<string>;
  readonly lines: ReadonlySet<string>;
} {
  const whole = new Set([value]);
  const lines = new Set<string>();
  if (!/[\r\n]/.test(value)) return { whole, lines };
  const parts = value.trim().split(/\r\n|\r|\n/);
  for (const end of ["\n", "\r\n"]) whole.add(parts.join(end));
  for (const each of parts) {
    const line = each.trim();
    if (line.length >= SHORTEST_LINE && !isRun(line) && !ARMOUR.test(line)) lines.add(line);
  }
  for (const form of whole) if (form.length < SHORTEST_REDACTED) whole.delete(form);
  return { whole, lines };
}
