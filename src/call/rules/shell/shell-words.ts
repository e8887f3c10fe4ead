/** What a command line runs: what can be read for certain, and where anything may run. */
import { Remembered } from "../../../lib/flow/remembered.ts";
import { findMarks, isPlain, type Mark } from "./shell-marks.ts";
import { invocationsOf, mayRunMore, type Runs } from "./shell-programs.ts";
import { ShellReader } from "./shell-reader.ts";
import { type Assigned, type SimpleCommand, UNKNOWN, type Word } from "./shell-syntax.ts";

export type { Mark } from "./shell-marks.ts";
export { UNKNOWN } from "./shell-syntax.ts";

/** Longer command lines are not read. */
const MAX_COMMAND = 20_000;
const MAX_MEANINGS = 200;
/** Nesting of code given to shells and of commands behind wrappers. */
const MAX_DEPTH = 6;

/** A part of the command line. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The result of reading one command line. */
export interface CommandReading {
  /** Each command by itself, without quotes and with `UNKNOWN` for what only a run can tell. */
  readonly texts: readonly string[];
  /** Some of these contain an unknown. */
  readonly isLoose: boolean;
  /** Parts that cannot be read for certain: anything may run there. */
  readonly unread: readonly Span[];
  /** Programs that do not begin a command: those behind wrappers, keywords and assignments, and in code; in order. */
  readonly inner: readonly string[];
}

const NONE: readonly never[] = Object.freeze([]);

/** Undefined: too long to be read. */
export function marksIn(command: string): readonly Mark[] | undefined {
  return command.length > MAX_COMMAND ? undefined : findMarks(command);
}

export function readCommandLine(command: string): CommandReading {
  const text = command.trim();
  const everything = { texts: [text], isLoose: false, unread: [{ from: 0, to: text.length }], inner: NONE };
  if (text.length > MAX_COMMAND) return everything;
  const plain = readPlainLine(text);
  if (plain !== undefined) return { texts: [plain], isLoose: false, unread: NONE, inner: NONE };
  return new LineReader(text).reading();
}

/** A line that starts one program, named without its folder, and nothing else means what it says. */
function readPlainLine(text: string): string | undefined {
  if (!isPlain(text)) return undefined;
  const line = normalizeSpaces(text);
  const end = line.indexOf(" ");
  const name = end < 0 ? line : line.slice(0, end);
  const needsReading =
    name === "" || name.includes("/") || name.includes("=") || isKeyword(name) || mayRunMore(name);
  return needsReading ? undefined : line;
}

/** The command lines of one call, each read once, however many rules look at it. */
export class CommandLines {
  readonly #marks = new Remembered(marksIn);
  readonly #readings = new Remembered(readCommandLine);

  marksIn(command: string): readonly Mark[] | undefined {
    return this.#marks.of(command);
  }

  read(command: string): CommandReading {
    return this.#readings.of(command);
  }
}

const KEYWORDS = new Set(
  "if then elif else fi for while until do done case esac select function time coproc in".split(" "),
);

function isKeyword(name: string): boolean {
  return KEYWORDS.has(name);
}

/** Variables whose value is a command, or text that a shell expands. */
const COMMAND_VARIABLE =
  /^(?:PROMPT_COMMAND|VISUAL|BROWSER|SHELL|GIT_SSH(?:_COMMAND)?|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|LESSOPEN|LESSCLOSE|\w*(?:EDITOR|PAGER|_RSH))$/;
/** Variables that make a program run something else. */
const HIJACKING_VARIABLE =
  /^(?:BASH_ENV|ENV|BASH_ALIASES|BASH_CMDS|LD_PRELOAD|LD_AUDIT|GIT_CONFIG\w*|PERL5OPT)$/;
const PROMPT = /^PS[0-4]$/;

/** Builtins that accept names of variables, and run the substitutions in their subscripts. */
const TAKES_NAMES = new Set(
  "test [ [[ printf read declare typeset local export readonly let unset mapfile readarray wait getopts".split(
    " ",
  ),
);
const KEEPS_INPUT = new Set("read mapfile readarray select getopts".split(" "));
const DECLARES = new Set("declare typeset local export readonly".split(" "));

/** Collects what a line runs, however deeply nested. */
class LineReader {
  readonly #text: string;
  readonly #texts = new Set<string>();
  readonly #unread: Span[] = [];
  readonly #inner: string[] = [];
  #isLoose = false;
  /** A variable may hold text in which bash finds a substitution when it does arithmetic. */
  #holdsCode = false;
  #computes = false;

  constructor(text: string) {
    this.#text = text;
    this.#addText(normalizeSpaces(text));
    this.#addCode(text, undefined, 0);
    if (this.#computes && this.#holdsCode) this.#unread.push({ from: 0, to: text.length });
  }

  reading(): CommandReading {
    const { size } = this.#texts;
    const unread = size > MAX_MEANINGS ? [{ from: 0, to: this.#text.length }] : this.#unread;
    return { texts: [...this.#texts], isLoose: this.#isLoose, unread, inner: this.#inner };
  }

  #addText(text: string): void {
    this.#texts.add(text);
    if (text.includes(UNKNOWN)) this.#isLoose = true;
  }

  /** `within`: the command that is given the code; undefined: it is the line itself. */
  #addCode(code: string, within: Span | undefined, depth: number): void {
    const read = new ShellReader(code, depth).read();
    const whole = within ?? { from: 0, to: this.#text.length };
    this.#computes ||= read.computes;
    this.#holdsCode ||= read.hasCode || read.keepsOutput;
    if (read.isBroken || read.expandsTwice || depth > MAX_DEPTH) this.#unread.push(whole);
    for (const command of read.commands) {
      if (this.#texts.size > MAX_MEANINGS) return;
      const isLine = within === undefined;
      const taint = { hasCode: read.hasCode, isTainted: read.hasCode || read.keepsOutput };
      this.#addCommand(command, isLine ? this.#spanOf(command) : whole, depth, taint, !isLine);
    }
  }

  /** For a command that was read separately from its position, only the whole line is known. */
  #spanOf({ from, to }: SimpleCommand): Span {
    return from === to ? { from: 0, to: this.#text.length } : { from, to };
  }

  #addCommand(
    command: SimpleCommand,
    span: Span,
    depth: number,
    taint: VariableTaint,
    isInner: boolean,
  ): void {
    this.#addText(command.texts.join(" "));
    for (const assignment of command.assignments) this.#addAssignment(assignment, span, depth);
    // A `*` after a mere prefix does not allow arbitrary programs.
    const isPreceded = command.hasKeyword === true || command.assignments.length > 0;
    this.#addWords(command.words, command.input, span, depth, taint, isInner || isPreceded);
  }

  #addWords(
    words: readonly Word[],
    input: Word | undefined,
    span: Span,
    depth: number,
    taint: VariableTaint,
    isInner: boolean,
  ): void {
    const [program, ...rest] = words;
    if (!program) return;
    const run = words.map(({ text }) => text).join(" ");
    this.#addText(run);
    const folder = program.text.lastIndexOf("/") + 1;
    const name = program.text.slice(folder);
    if (folder > 0) this.#addText(run.slice(folder));
    if (isInner) this.#inner.push(program.text);
    const isBracket = name === "[" || name === "[[";
    if (
      program.isOpen ||
      (program.isGlob && !isBracket) ||
      depth > MAX_DEPTH ||
      this.#texts.size > MAX_MEANINGS
    )
      return void this.#unread.push(span);
    if (TAKES_NAMES.has(name) && mayRunInNames(name, rest, taint)) this.#unread.push(span);
    if (KEEPS_INPUT.has(name)) this.#holdsCode = true;
    if (name === "let" || (DECLARES.has(name) && rest.some(({ text }) => /^-\w*i/.test(text))))
      this.#computes = true;
    if (DECLARES.has(name) || name === "env" || name === "sudo")
      for (const { text, ...word } of rest) {
        const assignment = /^(\w+)(?:\[.*\])?\+?=([\s\S]*)$/.exec(text);
        if (assignment)
          this.#addAssignment(
            { name: assignment[1]!, value: { ...word, text: assignment[2]! } },
            span,
            depth,
          );
      }
    for (const invocation of invocationsOf(name, { words: rest, input }))
      this.#addInvocation(invocation, span, depth + 1, taint);
  }

  #addInvocation(invocation: Runs, span: Span, depth: number, taint: VariableTaint): void {
    if (invocation === "unread") this.#unread.push(span);
    else if ("words" in invocation) this.#addWords(invocation.words, undefined, span, depth, taint, true);
    else if (invocation.code.isOpen || invocation.code.isGlob) this.#unread.push(span);
    else this.#addCode(invocation.code.text, span, depth);
  }

  #addAssignment({ name, value }: Assigned, span: Span, depth: number): void {
    if (HIJACKING_VARIABLE.test(name) || (PROMPT.test(name) && (value.hasCode || value.isOpen)))
      this.#unread.push(span);
    else if (COMMAND_VARIABLE.test(name)) this.#addInvocation({ code: value }, span, depth + 1, NOT_TAINTED);
  }
}

/** What the variables of a line may hold. */
interface VariableTaint {
  readonly hasCode: boolean;
  readonly isTainted: boolean;
}
const NOT_TAINTED: VariableTaint = { hasCode: false, isTainted: false };

function mayRunInNames(name: string, rest: readonly Word[], taint: VariableTaint): boolean {
  const isOpen = rest.some((word) => word.isOpen);
  if (name === "[" || name === "test") {
    const splits = rest.some((word) => word.splits);
    const asks = rest.some(
      ({ text, isOpen: open }, index) => text === "-v" || (open && rest[index + 1]?.isOpen),
    );
    return rest.some(({ hasCode }) => hasCode) || (taint.hasCode && (splits || (asks && isOpen)));
  }
  if (name === "printf") {
    const sets = rest.some(({ text }) => text.startsWith("-v")) || rest[0]?.isOpen === true;
    return sets && (rest.some(({ hasCode }) => hasCode) || (isOpen && taint.isTainted));
  }
  // Its arithmetic is handled by the reader.
  if (name === "[[") return rest.some(({ hasCode }) => hasCode);
  return rest.some(({ hasCode }) => hasCode) || (isOpen && taint.isTainted);
}

function normalizeSpaces(command: string): string {
  const text = command.trim();
  return / {2}|\t/.test(text) ? text.replace(/[ \t]+/g, " ") : text;
}
