/** Programs that run the rest of their command line. */
import { UNKNOWN, type Word } from "./shell-syntax.ts";

/** What a command runs besides itself. `unread`: something that cannot be read for certain. */
export type Invocation = { readonly words: readonly Word[] } | { readonly code: Word } | "unread";

export interface ProgramArguments {
  /** After the name of the program. */
  readonly words: readonly Word[];
  readonly input: Word | undefined;
}

export type ProgramReader = (args: ProgramArguments) => readonly Invocation[];

export const NOTHING: readonly Invocation[] = [];
export const UNREAD: readonly Invocation[] = ["unread"];

/** The options of a program that runs the rest of its line. */
export interface Wrapper {
  /** Letters and long names of options without a value. */
  readonly flags?: string;
  readonly longFlags?: string;
  /** Options whose value is the next word or follows directly. */
  readonly values?: string;
  readonly longValues?: string;
  /** How many words precede the command. */
  readonly operands?: number;
  /** Assignments may precede the command. */
  readonly assigns?: true;
  /** Accepts `-5`. */
  readonly numbers?: true;
}

/**
 * The command behind a wrapper. Undefined where nobody knows where it begins: an unknown option may take the next word
 * as its value, and an unknown word may be an option.
 */
function afterOptions(words: readonly Word[], wrapper: Wrapper): readonly Word[] | undefined {
  const { flags = "", values = "", longFlags = "", longValues = "", operands = 0 } = wrapper;
  let at = 0;
  for (; at < words.length; at++) {
    const { text, isOpen, isGlob } = words[at]!;
    if (text === "--") {
      at++;
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      if (wrapper.assigns && /^\w+=/.test(text)) continue;
      if (isOpen || isGlob) return undefined;
      break;
    }
    if (isOpen) return undefined;
    if (wrapper.numbers && /^-\d+$/.test(text)) continue;
    if (text.startsWith("--")) {
      const [name = "", value] = text.slice(2).split("=", 2);
      const isListed = (list: string) => list.split(" ").includes(name);
      if (isListed(longValues)) at += value === undefined ? 1 : 0;
      else if (!isListed(longFlags)) return undefined;
      continue;
    }
    const letters = [...text.slice(1)];
    const valueIndex = letters.findIndex((letter) => values.includes(letter));
    if (letters.slice(0, valueIndex < 0 ? undefined : valueIndex).some((letter) => !flags.includes(letter)))
      return undefined;
    if (valueIndex === letters.length - 1) at++;
  }
  const rest = words.slice(at);
  if (rest.slice(0, operands).some(({ splits }) => splits)) return undefined;
  return rest.slice(operands);
}

export function readWrapper(wrapper: Wrapper): ProgramReader {
  return ({ words }) => {
    const rest = afterOptions(words, wrapper);
    if (!rest) return UNREAD;
    return rest.length === 0 ? NOTHING : [{ words: rest }];
  };
}

/** `env` can also split a text into words. */
export const env: ProgramReader = (args) => {
  const at = args.words.findIndex(({ text }) => /^-[iv0]*S|^--split-string/.test(text));
  if (at < 0)
    return readWrapper({
      ...{ flags: "iv0", values: "uC", longFlags: "ignore-environment null debug", assigns: true },
      longValues: "unset chdir",
    })(args);
  const { text, ...rest } = args.words[at]!;
  const own = text.replace(/^-[iv0]*S|^--split-string=?/, "");
  const code = [...(own === "" ? [] : [{ ...rest, text: own }]), ...args.words.slice(at + 1)];
  return [{ code: joinWords(code) }];
};

const XARGS: Wrapper = {
  flags: "0rtpxo",
  values: "InPLdasE",
  longFlags: "null no-run-if-empty verbose interactive exit open-tty",
  longValues: "replace max-args max-procs max-lines delimiter arg-file max-chars eof",
};

/** The input of `xargs` follows its command, or replaces a mark in it. */
export const xargs: ProgramReader = ({ words }) => {
  const rest = afterOptions(words, XARGS);
  if (!rest || words.some(({ text }) => text.startsWith("--replace"))) return UNREAD;
  if (rest.length === 0) return NOTHING;
  const option = words.findIndex(({ text }) => /^-[0rtpxo]*I/.test(text));
  const mark =
    option < 0 ? undefined : words[option]!.text.replace(/^-[0rtpxo]*I/, "") || words[option + 1]?.text;
  if (mark === undefined) return [{ words: [...rest, ANY_WORDS] }];
  return [
    {
      words: rest.map((word) =>
        word.text.includes(mark)
          ? { ...word, text: word.text.replaceAll(mark, UNKNOWN), isOpen: true }
          : word,
      ),
    },
  ];
};

const ANY_WORDS: Word = {
  ...{ text: UNKNOWN, isOpen: true, splits: true, isGlob: false },
  ...{ isQuoted: false, hasOutput: true, hasCode: false },
};

/** Every command between `-exec` and its end. Where a word may be such an option, anything may run. */
export const find: ProgramReader = ({ words }) => {
  const invocations: Invocation[] = [];
  for (let at = 0; at < words.length; at++) {
    const { text, isOpen, splits } = words[at]!;
    const mayBeOption = isOpen && text.startsWith(UNKNOWN);
    if (mayBeOption && (splits || /^[^-]/.test(words[at + 1]?.text ?? "-"))) return UNREAD;
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const start = at + 1;
    while (
      at < words.length &&
      !(words[at]!.text === ";" || (words[at]!.text === "+" && words[at - 1]!.text === "{}"))
    )
      at++;
    const command = words.slice(start, at);
    invocations.push({
      words: command.map((word) =>
        word.text.includes("{}")
          ? { ...word, text: word.text.replaceAll("{}", UNKNOWN), isOpen: true }
          : word,
      ),
    });
  }
  return invocations;
};

export function joinWords(words: readonly Word[]): Word {
  return {
    text: words.map(({ text }) => text).join(" "),
    isOpen: words.some(({ isOpen, isGlob }) => isOpen || isGlob),
    splits: false,
    isGlob: false,
    isQuoted: true,
    hasOutput: words.some(({ hasOutput }) => hasOutput),
    hasCode: false,
  };
}

/** `watch -n 1 ls`: the rest is code for a shell. */
export function readCodeWrapper(wrapper: Wrapper): ProgramReader {
  return ({ words }) => {
    const rest = afterOptions(words, wrapper);
    if (!rest) return UNREAD;
    return rest.length === 0 ? NOTHING : [{ code: joinWords(rest) }];
  };
}

export const npx = readWrapper({
  flags: "yqn",
  values: "p",
  longFlags: "yes no no-install quiet bun",
  longValues: "package from with",
});

export const flock: ProgramReader = ({ words }) => {
  const codeIndex = words.findIndex(({ text }) => text === "-c" || text === "--command");
  if (codeIndex >= 0) return words[codeIndex + 1] ? [{ code: words[codeIndex + 1]! }] : UNREAD;
  return readWrapper({
    ...{ flags: "sexnuoFv", values: "wE", operands: 1 },
    ...{
      longFlags: "shared exclusive nonblock unlock close no-fork verbose",
      longValues: "wait timeout conflict-exit-code",
    },
  })({ words, input: undefined });
};

export const command: ProgramReader = ({ words, input }) =>
  words.some(({ text }, index) => /^-p?[vV]/.test(text) && index < 2)
    ? NOTHING
    : readWrapper({ flags: "p" })({ words, input });
