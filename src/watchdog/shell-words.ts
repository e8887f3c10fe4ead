/** What a command line starts, as far as that can be read from it. */
import { Remembered } from "../lib/remembered.ts";
import { isPlain, type Mark, type Read, readCommand, type Word } from "./shell-reader.ts";

export type { Mark } from "./shell-reader.ts";

/** A command line longer than this is not looked into. */
const MAX_COMMAND = 20_000;
const MAX_MEANINGS = 200;
const MAX_DEPTH = 4;
/** As many words behind a wrapper are taken for what it may run. */
const MAX_WRAPPED = 40;

/** What runs the rest of its line. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "env", "command", "exec", "nohup", "time", "nice", "ionice", "timeout", "xargs"],
  ...[
    "stdbuf",
    "setsid",
    "busybox",
    "builtin",
    "then",
    "do",
    "else",
    "if",
    "elif",
    "while",
    "until",
    "!",
    "{",
  ],
  ...["coproc", "chroot", "flock", "watch", "parallel", "strace", "unshare", "find"],
]);
const ASSIGNMENT = /^\w+(?:\[[^\]]*\])?\+?=/;
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "su"]);

const RUNS_MORE: ReadonlySet<string> = new Set([...WRAPPERS, ...SHELLS, "eval"]);

/** Undefined: too long to be looked into. */
export function marksIn(command: string): readonly Mark[] | undefined {
  return command.length > MAX_COMMAND ? undefined : readCommand(command).marks;
}

/**
 * Everything that the command line runs, as far as that can be read from it: each command by itself, without quotes,
 * without what only wraps it, and what it gives to a shell. Undefined: more than is looked into.
 */
function meaningsOf(command: string, read: (command: string) => Read): readonly string[] | undefined {
  if (command.length > MAX_COMMAND) return undefined;
  const plain = plainMeaning(command);
  if (plain !== undefined) return [plain];
  const found = new Set<string>([spaced(command)]);
  return read(command).commands.every((words) => addCommand(words, found, 0)) ? [...found] : undefined;
}

/** Of a line that starts one program, named without its folder, and nothing else: it means what it says. */
function plainMeaning(command: string): string | undefined {
  if (!isPlain(command)) return undefined;
  const text = spaced(command);
  const end = text.indexOf(" ");
  const name = end < 0 ? text : text.slice(0, end);
  const isMore = name === "" || name.includes("/") || name.includes("=") || RUNS_MORE.has(name);
  return isMore ? undefined : text;
}

/** The command lines of one call, each read once, however many rules look at them. */
export class CommandLines {
  readonly #read = new Remembered(readCommand);
  readonly #meanings = new Remembered((command) => meaningsOf(command, (each) => this.#read.of(each)));

  marksIn(command: string): readonly Mark[] | undefined {
    return command.length > MAX_COMMAND ? undefined : this.#read.of(command).marks;
  }

  meaningsOf(command: string): readonly string[] | undefined {
    return this.#meanings.of(command);
  }
}

function addMeanings(command: string, found: Set<string>, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  return readCommand(command).commands.every((words) => addCommand(words, found, depth));
}

function addCommand(written: readonly Word[], found: Set<string>, depth: number): boolean {
  const words = withoutRedirections(written);
  const first = words.findIndex(({ text }) => !ASSIGNMENT.test(text));
  const whole = textOf(written);
  found.add(whole);
  if (first < 0) return true;
  const program = words[first]!;
  const folder = program.text.lastIndexOf("/") + 1;
  const name = program.text.slice(folder);
  const run = first === 0 && words === written ? whole : textOf(words.slice(first));
  found.add(run);
  if (folder > 0) found.add(run.slice(folder));
  if (found.size > MAX_MEANINGS || depth > MAX_DEPTH || isOpen(program)) return false;
  if (WRAPPERS.has(name)) return addWrapped(words.slice(first + 1), found, depth + 1);
  if (name === "eval") return addMeanings(textOf(words.slice(first + 1)), found, depth + 1);
  if (!SHELLS.has(name)) return true;
  // Also what is redirected into it.
  return written.every(
    (word) => word === program || /^[-+<>]/.test(word.text) || addMeanings(word.text, found, depth + 1),
  );
}

/** The options of a wrapper may take values: whatever could be the command behind them is looked at. */
function addWrapped(rest: readonly Word[], found: Set<string>, depth: number): boolean {
  if (rest.length > MAX_WRAPPED) return false;
  let isProgramSeen = false;
  return rest.every(({ text, isLoose }, index) => {
    const word = { text, isLoose: isLoose && !isProgramSeen && !text.startsWith("-") };
    const isOption = /^-/.test(text) || ASSIGNMENT.test(text);
    if (!isOption && !rest[index - 1]?.text.startsWith("-")) isProgramSeen = true;
    return addCommand([word, ...rest.slice(index + 1)], found, depth);
  });
}

/** A shell puts something else in its place first. */
function isOpen({ text, isLoose }: Word): boolean {
  return isLoose && !["[", "[[", "{", "{}"].includes(text);
}

/** They may stand anywhere, also before the program: `2>/dev/null rm x`. */
function withoutRedirections(words: readonly Word[]): readonly Word[] {
  if (!words.some(isArrow)) return words;
  return words.filter((word, index) => {
    const before = words[index - 1];
    const after = words[index + 1];
    const isDescriptor = after !== undefined && isArrow(after) && /^(?:\d+|\{\w+\})$/.test(word.text);
    return !isArrow(word) && !isDescriptor && !(before !== undefined && isArrow(before));
  });
}

function isArrow({ text }: Word): boolean {
  return text === "<" || text === ">";
}

function textOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(" ");
}

function spaced(command: string): string {
  const text = command.trim();
  return / {2}|\t/.test(text) ? text.replace(/[ \t]+/g, " ") : text;
}
