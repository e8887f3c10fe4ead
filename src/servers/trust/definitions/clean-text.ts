/** Text from servers is data. Before a model sees it, everything that could hide in it or imitate the host is removed. */
import { withoutCredentials } from "../../../call/vault/credentials.ts";
import { HIDDEN, HIDDEN_UNITS } from "../../../lib/text/hidden-characters.ts";

/** A fast first check for units that may be hidden characters: a class of single units matches fastest. */
const HIDDEN_UNIT = new RegExp(String.raw`[${HIDDEN_UNITS}\ud82f\ud834\udb40-\udb43]`);

const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Cs}/u;

/** Complete terminal escape sequences: colours, cursor movement, titles, links. */
const TERMINAL = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,4000}(?:\x07|\x1b\\|\x9c)?`,
    String.raw`\x1b[PX^_][^\x1b]{0,4000}(?:\x1b\\)?`,
    String.raw`\x1b[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** Elements that tell hosts and models who speaks, what is an order and what is a call. */
const ELEMENTS = [
  "system(?:[-_ ]?(?:prompt|reminder|message|instructions?|note|override))?",
  "sys",
  "important",
  "critical",
  "instructions?",
  "assistant",
  "human",
  "developer",
  "functions?",
  "function[-_](?:calls?|results?|response)",
  "invoke",
  "tool[-_](?:use|calls?|results?|response|outputs?|code)",
  "thinking",
  "antml:\\w+",
  "available-deferred-tools",
  "hidden",
  "secret[-_]?instructions?",
  "override",
  "admin",
  "start_of_turn",
  "end_of_turn",
].join("|");
/** Matches an element as a whole if it ends soon, otherwise its start: long content must not hide it. */
const ELEMENT = new RegExp(
  [
    `[<＜]{1,2}\\s{0,9}/?\\s{0,9}(?:${ELEMENTS})(?:\\s[^<>＜＞]{0,200})?/?\\s{0,9}[>＞]{1,2}`,
    `[<＜]{1,2}/?(?:${ELEMENTS})(?=\\s)`,
    "</user\\s{0,9}>",
  ].join("|"),
  "gi",
);
/** Tokens of model templates: `<|im_start|>`, `<<SYS>>`, `[INST]`. */
const TOKEN = /[<＜]\s{0,9}[|｜][^<>\n]{0,80}?[|｜]\s{0,9}[>＞]/g;
const BRACKETED =
  /\[\s{0,9}(\/?\s{0,9}(?:INST|SYSTEM|SYSTEM_PROMPT|SYSTEM_MESSAGE|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS))\s{0,9}\]/gi;
const SPEAKER = /(^|\n)([ \t]{0,9})([Hh]uman|HUMAN|[Aa]ssistant|ASSISTANT|[Ss]ystem|SYSTEM)[ \t]{0,9}:/g;

/** Not global, because a global expression remembers its last position. */
const MARKS = [ELEMENT, TOKEN, BRACKETED, SPEAKER].map(
  ({ source, flags }) => new RegExp(source, flags.replace("g", "")),
);

/** Whether a text may contain something that no model should see. */
export function isSuspect(text: string): boolean {
  if (HIDDEN_UNIT.test(text) || (SURROGATE.test(text) && LONE_SURROGATE.test(text))) return true;
  return MARKS.some((mark) => mark.test(text)) || redactCredentials(text) !== text;
}

/** Whether cleaning would change the text. */
export function isHiding(text: string): boolean {
  return isSuspect(text) && cleanText(text) !== text;
}

/** Removes hidden characters and defuses marks that imitate the host; returns at most `max` characters. */
export function cleanText(text: string, max = Number.POSITIVE_INFINITY): string {
  const clean = isSuspect(text) ? redactCredentials(defuseMarks(removeHidden(text))) : text;
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Writes hidden characters so that people can see them. */
export function revealHidden(text: string): string {
  return text.replace(HIDDEN, (character, at: number) =>
    isPartOfScript(character, at, text) ? character : `⟨U+${toHex(character)}⟩`,
  );
}

/** The number of hidden characters in a text. */
export function countHidden(text: string): number {
  let count = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (character !== "\r" && !isPartOfScript(character, index, text)) count++;
  }
  return count;
}

/** The marks in a text that imitate those of hosts and models. */
export function findImitations(text: string): readonly string[] {
  return [ELEMENT, TOKEN, BRACKETED].flatMap((pattern) => text.match(pattern) ?? []);
}

/** Removes terminal sequences and hidden characters. */
export function removeHidden(text: string): string {
  const plain = text.replace(TERMINAL, "").replace(/\r\n?|[\u2028\u2029]/g, "\n");
  return plain.replace(HIDDEN, (character, at: number) =>
    isPartOfScript(character, at, plain) ? character : "",
  );
}

function defuseMarks(text: string): string {
  return text
    .replace(ELEMENT, replaceBrackets)
    .replace(TOKEN, replaceBrackets)
    .replace(BRACKETED, "($1)")
    .replace(SPEAKER, "$1$2($3):");
}

function replaceBrackets(mark: string): string {
  return mark.replace(/[<＜]/g, "‹").replace(/[>＞]/g, "›");
}

const JOINING_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u;

/** Emoji and some scripts need single characters that elsewhere only hide something. */
function isPartOfScript(character: string, at: number, text: string): boolean {
  if (character === "\ufe0e" || character === "\ufe0f") return /\p{Emoji}$/u.test(text.slice(at - 2, at));
  if (character !== "\u200c" && character !== "\u200d") return false;
  const before = text.slice(Math.max(0, at - 3), at);
  const after = text.slice(at + 1, at + 3);
  const isJoined = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u.test(before);
  if (character === "\u200d" && isJoined && /^\p{Emoji}/u.test(after)) return true;
  return JOINING_SCRIPTS.test(before.slice(-1)) && JOINING_SCRIPTS.test(after.slice(0, 1));
}

function toHex(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
}

/** A fast first check: a text without any of these contains no credential. */
const CREDENTIAL_HINT =
  /-----BEGIN|eyJ|AKIA|ASIA|ABIA|ACCA|gh[pousr]_|github_pat_|gl(?:pat|dt|rt|ptt|soat|ft)-|xox[abceprs]-|xapp-|hooks\.slack|AIza|ya29\.|k_(?:live|test)_|sk-|npm_|:\/\/[^\s/:@]{0,255}:|(?:passw|passphrase|pwd|secret|token|credential|key|bearer|basic)[^\n]{0,12}[:=\s]/i;

/** Kinds recognised by the word before the value, which may therefore be an example. */
const BY_WORD = new Set(["assignment", "authorization", "url_password"]);
const EXAMPLE =
  /your|example|sample|dummy|placeholder|change|passw|secret|token|key|user|here|test|demo|foo|bar|x{3}|\.{3}|[<>{}()$[\]*]|12345|abc/i;

/** Replaces each credential by its kind; returns the same text if there is none. */
export function redactCredentials(text: string): string {
  return CREDENTIAL_HINT.test(text) ? withoutCredentials(text, isRealCredential).text : text;
}

/** Descriptions contain sample values: a placeholder, a type or an ordinary word is no credential. */
function isRealCredential(kind: string, value: string): boolean {
  if (!BY_WORD.has(kind)) return !/x{6}|X{6}|\.{3}|0{8}|EXAMPLE|your/.test(value);
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !EXAMPLE.test(value) &&
    !/^https?:/.test(value)
  );
}
