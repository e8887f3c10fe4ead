import type { Terminal } from "../terminal.ts";

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const BOLD = 1;
const DIM = 2;

/** What words in a column of states, or a mark at the start of a line, mean to whoever looks. */
const MEANINGS: Readonly<Record<string, number>> = {
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
const COLUMNS_OF_STATES = /(?:^| {2,})(STATE|STATUS|OUTCOME|DECISION|ACTION)(?= {2,}|$)/;
const HEADINGS = /^ *[A-Z][A-Z ]*(?: {2,}[A-Z][A-Z ]*)+$/;

/** Whether colours fit: a terminal that shows them, unless FORCE_COLOR or NO_COLOR say otherwise. */
export function hasColours({ env }: Pick<Terminal, "env">, isTerminal: boolean): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && !env.NO_COLOR && env.TERM !== "dumb";
}

/** The same text with colours: headings of tables, states in them, marks of checks. Adds nothing else and takes nothing away. */
export function painted(text: string): string {
  let column: number | undefined;
  return text
    .split("\n")
    .map((line) => {
      if (HEADINGS.test(line)) {
        const found = COLUMNS_OF_STATES.exec(line);
        column = found ? found.index + found[0].length - found[1]!.length : undefined;
        return styled(line, BOLD);
      }
      if (line === "") column = undefined;
      const [mark = ""] = /^[✓!✗](?= )/u.exec(line) ?? [];
      if (mark !== "") return styled(mark, MEANINGS[mark]!) + line.slice(mark.length);
      return column === undefined ? line : withState(line, column);
    })
    .join("\n");
}

export function red(text: string): string {
  return styled(text, RED);
}

function withState(line: string, column: number): string {
  const [word = ""] = /^\S+(?: \S+)*/.exec(line.slice(column)) ?? [];
  const isCell = column === 0 || line[column - 1] === " ";
  const code = isCell && Object.hasOwn(MEANINGS, word) ? MEANINGS[word] : undefined;
  if (code === undefined) return line;
  return line.slice(0, column) + styled(word, code) + line.slice(column + word.length);
}

function styled(text: string, code: number): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}
