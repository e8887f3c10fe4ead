import { err, ok, type Result } from "../../../lib/result.ts";

const MAX_CHARACTERS = 20_000;
const MAX_WORDS = 1_000;
/** What makes of a line more than one command that is started and nothing else. */
const OPERATORS = new Set(["|", "&", ";", "<", ">", "(", ")", "`"]);

/**
 * The words of one command as a shell reads them: quotes, escapes, lines that go on after a backslash. Nothing is
 * run: a command inside a command, a pipe or a redirection is a problem, and `$NAME` becomes the reference `${NAME}`.
 */
export function wordsOfCommand(text: string): Result<string[], string> {
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
      return err("it runs another command inside: write what that command prints instead");
    } else if (character === "$" && /[A-Za-z_]/.test(next ?? "")) {
      const [name] = /^\w+/.exec(text.slice(at + 1, at + 202))!;
      word = `${word ?? ""}\${${name}}`;
      at += name.length;
    } else if (quote === '"') {
      if (character === "`")
        return err("it runs another command inside: write what that command prints instead");
      word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (OPERATORS.has(character)) {
      return err(`expected one command, but it has ${character} outside quotes`);
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
    if (words.length > MAX_WORDS) return err(`the command has more than ${MAX_WORDS} words`);
  }
  if (quote !== undefined) return err(`the command has a ${quote} that is not closed`);
  if (word !== undefined) words.push(word);
  return ok(words);
}

/**
 * The commands of a text that has one a line, without prompts and remarks. A line that ends in a backslash, or within
 * quotes, goes on in the next.
 */
export function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let open = "";
  let quote: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const isFirst = open === "";
    if (isFirst && /^\s*(?:#|\/\/|$)/.test(line)) continue;
    const clean = isFirst ? line.replace(/^\s*[$>%]\s+/, "") : line;
    quote = quoteAfter(clean, quote);
    const goesOn = quote === undefined && /\\[ \t]*$/.test(clean);
    open += `${isFirst ? "" : "\n"}${goesOn ? clean.replace(/[ \t]+$/, "") : clean}`;
    if (quote !== undefined || goesOn) continue;
    commands.push(open.trim());
    open = "";
  }
  return open.trim() === "" ? commands : [...commands, open.trim()];
}

/** The quote that is open at the end of a line. */
function quoteAfter(line: string, before: string | undefined): string | undefined {
  let quote = before;
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (character === "\\" && quote !== "'") at++;
    else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) quote = character;
  }
  return quote;
}
