import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** One replacement in a text. */
export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface Edited {
  readonly text: string;
  readonly replacements: number;
  /** The lines, counted from 1, on which the first ten replaced parts began, before the edit. */
  readonly lines: readonly number[];
}

const MAX_LISTED_LINES = 10;
/** How much is compared to find the line that was probably meant; comparing everything could take seconds. */
const MAX_COMPARED = { lines: 3_000, characters: 120 };

/** Replaces exactly what was asked; the error tells a model why that was not possible. */
export function editText(text: string, edit: Edit, maxLength: number): Result<Edited, string> {
  const { old_string, new_string, replace_all = false } = edit;
  if (old_string === "")
    return err("old_string is empty. Give the text to replace; use write_file to write a whole file.");
  if (old_string === new_string)
    return err("old_string and new_string are the same, so there is nothing to change.");
  const positions = occurrences(text, old_string);
  if (positions.length === 0) return err(notFound(text, old_string));
  if (positions.length > 1 && !replace_all) return err(notUnique(text, positions));
  const replacements = positions.length;
  const length = text.length + replacements * (new_string.length - old_string.length);
  if (length > maxLength)
    return err(`the result would have ${length} characters; at most ${maxLength} are allowed.`);
  return ok({
    text: text.split(old_string).join(new_string),
    replacements,
    lines: firstLines(text, positions),
  });
}

function occurrences(text: string, part: string): number[] {
  const positions = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at);
  return positions;
}

/** `positions` in ascending order. */
function firstLines(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let newline = text.indexOf("\n");
  return positions.slice(0, MAX_LISTED_LINES).map((position) => {
    for (; newline !== -1 && newline < position; newline = text.indexOf("\n", newline + 1)) line++;
    return line;
  });
}

function notUnique(text: string, positions: readonly number[]): string {
  const lines = firstLines(text, positions).join(", ");
  const more = positions.length > MAX_LISTED_LINES ? " …" : "";
  return `old_string occurs ${positions.length} times (lines ${lines}${more}). Add surrounding lines to make it unique, or set replace_all to true.`;
}

function notFound(text: string, part: string): string {
  const intro = "old_string was not found; it must match exactly, white space included.";
  if (/^ *\d+\t/.test(part))
    return `${intro} Leave out the line numbers and tabs that read_file puts before each line.`;
  const close = closestLine(text.split("\n"), part);
  return close
    ? `${intro} The closest line is ${close.number}: ${JSON.stringify(close.line)}.`
    : `${intro} Read the file again.`;
}

function closestLine(lines: readonly string[], part: string): { number: number; line: string } | undefined {
  const first = part.split("\n").find((line) => line.trim() !== "");
  if (first === undefined) return undefined;
  const bare = (line: string) => line.trim().replace(/\s+/g, " ").slice(0, MAX_COMPARED.characters);
  const compared = lines.slice(0, MAX_COMPARED.lines).map(bare);
  const wanted = bare(first);
  const same = compared.indexOf(wanted);
  const index = same === -1 ? compared.indexOf(nearest(wanted, compared) ?? "\0") : same;
  return index === -1 ? undefined : { number: index + 1, line: lines[index]!.slice(0, 200) };
}
