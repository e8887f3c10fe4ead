import type { Terminal } from "../terminal.ts";

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const BOLD = 1;
const DIM = 2;

/** Colours of the words in a state column and of the marks at the start of a line. */
const STATE_COLOURS: Readonly<Record<string, number>> = {
  ready: GREEN,
  active: GREEN,
  ok: GREEN,
  allow: GREEN,
  "✓": GREEN,
  connecting: YELLOW,
  "needs auth": YELLOW,
  "pending approval": YELLOW,
  pending_approval: YELLOW,
  ask: YELLOW,
  "!": YELLOW,
  failed: RED,
  "failed, retrying": RED,
  unavailable: RED,
  denied: RED,
  deny: RED,
  timed_out: RED,
  internal_error: RED,
  "✗": RED,
  disabled: DIM,
  idle: DIM,
};
const STATE_COLUMN = /(?:^| {2,})(STATE|STATUS|OUTCOME|DECISION|ACTION)(?= {2,}|$)/;
const HEADINGS = /^ *[A-Z][A-Z ]*(?: {2,}[A-Z][A-Z ]*)+$/;

/** Colours are used in terminals that show them, unless FORCE_COLOR or NO_COLOR override that. */
export function shouldUseColours({ env }: Pick<Terminal, "env">, isTerminal: boolean): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
}

/** Colours table headings, states in tables, and check marks. Only adds escape codes; the text itself stays the same. */
export function colourize(text: string): string {
  let column: number | undefined;
  return text
    .split("\n")
    .map((line) => {
      if (HEADINGS.test(line)) {
        const match = STATE_COLUMN.exec(line);
        column = match ? match.index + match[0].length - match[1]!.length : undefined;
        return applyStyle(line, BOLD);
      }
      if (line === "") column = undefined;
      const [mark = ""] = /^[✓!✗](?= )/u.exec(line) ?? [];
      if (mark !== "") return applyStyle(mark, STATE_COLOURS[mark]!) + line.slice(mark.length);
      return column === undefined ? line : colourState(line, column);
    })
    .join("\n");
}

export function colourRed(text: string): string {
  return applyStyle(text, RED);
}

function colourState(line: string, column: number): string {
  const [word = ""] = /^\S+(?: \S+)*/.exec(line.slice(column)) ?? [];
  const isCell = column === 0 || line[column - 1] === " ";
  const code = isCell && Object.hasOwn(STATE_COLOURS, word) ? STATE_COLOURS[word] : undefined;
  if (code === undefined) return line;
  return line.slice(0, column) + applyStyle(word, code) + line.slice(column + word.length);
}

function applyStyle(text: string, code: number): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}
