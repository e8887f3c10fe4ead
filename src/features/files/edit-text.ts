import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** One replacement in a text. */
export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface EditResult {
  readonly text: string;
  readonly replacements: number;
  /** The line numbers (from 1) of the first ten replacements, before the edit. */
  readonly lines: readonly number[];
}

const MAX_LISTED_LINES = 10;
/** Limits for finding the line that was probably meant; comparing everything could take seconds. */
const MAX_COMPARED = { lines: 3_000, characters: 120 };

/** Applies one edit. The error tells a model why it was not possible. */
export function editText(text: string, edit: Edit, maxLength: number): Result<EditResult, string> {
  const { old_string, new_string, replace_all = false } = edit;
  if (old_string === "")
    return err("old_string is empty. Give the text to replace; use write_file to write a whole file.");
  if (old_string === new_string)
    return err("old_string and new_string are the same, so there is nothing to change.");
  const positions = findOccurrences(text, old_string);
  if (positions.length === 0) return err(explainNotFound(text, old_string));
  if (positions.length > 1 && !replace_all) return err(explainNotUnique(text, positions));
  const replacements = positions.length;
  const length = text.length + replacements * (new_string.length - old_string.length);
  if (length > maxLength)
    return err(`the result would have ${length} characters; at most ${maxLength} are allowed.`);
  return ok({
    text: text.split(old_string).join(new_string),
    replacements,
    lines: findLineNumbers(text, positions),
  });
}

function findOccurrences(text: string, part: string): number[] {
  const positions = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at);
  return positions;
}

/** `positions` must be in ascending order. */
function findLineNumbers(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let newline = text.indexOf("\n");
  return positions.slice(0, MAX_LISTED_LINES).map((position) => {
    for (; newline !== -1 && newline < position; newline = text.indexOf("\n", newline + 1)) line++;
    return line;
  });
}

function explainNotUnique(text: string, positions: readonly number[]): string {
  const lines = findLineNumbers(text, positions).join(", ");
  const more = positions.length > MAX_LISTED_LINES ? " …" : "";
  return `old_string occurs ${positions.length} times (lines ${lines}${more}). Add surrounding lines to make it unique, or set replace_all to true.`;
}

function explainNotFound(text: string, part: string): string {
  const intro = "old_string was not found; it must match exactly, white space included.";
  if (/^ *\d+\t/.test(part))
    return `${intro} Leave out the line numbers and tabs that read_file puts before each line.`;
  const closest = findClosestLine(text.split("\n"), part);
  return closest
    ? `${intro} The closest line is ${closest.number}: ${JSON.stringify(closest.line)}.`
    : `${intro} Read the file again.`;
}

function findClosestLine(
  lines: readonly string[],
  part: string,
): { number: number; line: string } | undefined {
  const first = part.split("\n").find((line) => line.trim() !== "");
  if (first === undefined) return undefined;
  const normalizeLine = (line: string) => line.trim().replace(/\s+/g, " ").slice(0, MAX_COMPARED.characters);
  const compared = lines.slice(0, MAX_COMPARED.lines).map(normalizeLine);
  const target = normalizeLine(first);
  const same = compared.indexOf(target);
  const index = same === -1 ? compared.indexOf(nearest(target, compared) ?? "\0") : same;
  return index === -1 ? undefined : { number: index + 1, line: lines[index]!.slice(0, 200) };
}
