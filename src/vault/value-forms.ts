import { encodedForms } from "./encoded-forms.ts";
import { isRun, piecesOf } from "./pieces.ts";

/** Shorter values would black out ordinary words. */
export const SHORTEST_REDACTED = 6;
/** Shorter lines of a longer value are too likely to stand elsewhere. */
const SHORTEST_LINE = 16;
const ARMOUR = /^-+(?:BEGIN|END) [A-Z0-9 ]{1,60}-+$/;

/**
 * What to look for in a text that a value must not stand in: the value in every encoding, with either kind of line
 * end, and each of its lines, which may stand alone or indented. In pieces.
 */
export function valueForms(value: string): ReadonlySet<string> {
  const forms = new Set<string>();
  for (const form of wholeForms(value)) {
    if (form.length < SHORTEST_REDACTED) continue;
    for (const piece of piecesOf(form)) forms.add(piece);
  }
  return forms;
}

function* wholeForms(value: string): Iterable<string> {
  yield* encodedForms(value);
  if (!/[\r\n]/.test(value)) return;
  const lines = value.trim().split(/\r\n|\r|\n/);
  for (const end of ["\n", "\r\n"]) {
    const other = lines.join(end);
    if (other !== value) yield* encodedForms(other);
  }
  for (const each of lines) {
    const line = each.trim();
    if (line.length < SHORTEST_LINE || isRun(line) || ARMOUR.test(line)) continue;
    yield line;
    yield JSON.stringify(line).slice(1, -1);
  }
}
