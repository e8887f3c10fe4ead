import { err, ok, type Result } from "../../../lib/result.ts";

const MAX_CHARACTERS = 20_000;
const MAX_WORDS = 1_000;
/** Shell operators, which a single plain command cannot contain. */
const OPERATORS = new Set(["|", "&", ";", "<", ">", "(", ")", "`"]);

/**
 * Splits a command into words like a shell: quotes, escapes, line continuations. Nothing is run: a command
 * substitution, a pipe or a redirection is an error, and `$NAME` becomes the reference `${NAME}`.
 */
export function splitCommand(text: string): Result<string[], string> {
  if (text.length > MAX_CHARACTERS) return err(`the command is longer than ${MAX_CHARACTERS} characters`);
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const next = text[at + 1];
    if (quote === "'") {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === "\\" && next !== undefined) {
      at++;
      if (next === "\n") continue;
      const isEscape = quote === undefined || '"\\$`'.includes(next);
      word = (word ?? "") + (isEscape ? next : `\\${next}`);
    } else if (character === quote) {
      quote = undefined;
    } else if (character === "$" && (next === "(" || next === "`")) {
      return err("the command contains another command; replace it with what it prints");
    } else if (character === "$" && /[A-Za-z_]/.test(next ?? "")) {
      const [name] = /^\w+/.exec(text.slice(at + 1, at + 202))!;
      word = `${word ?? ""}\${${name}}`;
      at += name.length;
    } else if (quote === '"') {
      if (character === "`")
        return err("the command contains another command; replace it with what it prints");
      word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (OPERATORS.has(character)) {
      return err(`expected one command, but found ${character} outside quotes`);
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
    if (words.length > MAX_WORDS) return err(`the command has more than ${MAX_WORDS} words`);
  }
  if (quote !== undefined) return err(`the command has an unclosed ${quote}`);
  if (word !== undefined) words.push(word);
  return ok(words);
}

/**
 * The commands in a text with one per line, without prompts and comments. A line that ends in a backslash or inside
 * quotes continues on the next.
 */
export function listCommands(text: string): string[] {
  const commands: string[] = [];
  let open = "";
  let quote: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const isFirst = open === "";
    if (isFirst && /^\s*(?:#|\/\/|$)/.test(line)) continue;
    const clean = isFirst ? line.replace(/^\s*[$>%]\s+/, "") : line;
    quote = findOpenQuote(clean, quote);
    const isContinued = quote === undefined && /\\[ \t]*$/.test(clean);
    open += `${isFirst ? "" : "\n"}${isContinued ? clean.replace(/[ \t]+$/, "") : clean}`;
    if (quote !== undefined || isContinued) continue;
    commands.push(open.trim());
    open = "";
  }
  return open.trim() === "" ? commands : [...commands, open.trim()];
}

/** The quote that is still open at the end of a line. */
function findOpenQuote(line: string, before: string | undefined): string | undefined {
  let quote = before;
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (character === "\\" && quote !== "'") at++;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) quote = character;
  }
  return quote;
}
