/** Programs that run the rest of their command line. */
import { UNKNOWN, type Word } from "./shell-syntax.ts";

/** What a command runs beside itself. `unread`: something that cannot be read for certain. */
export type Runs = { readonly words: readonly Word[] } | { readonly code: Word } | "unread";

export interface Given {
  /** Behind the name of the program. */
  readonly words: readonly Word[];
  readonly input: Word | undefined;
}

export type Reader = (given: Given) => readonly Runs[];

export const NOTHING: readonly Runs[] = [];
export const UNREAD: readonly Runs[] = ["unread"];

/** How a program that runs the rest of its line writes its own options. */
export interface Wrapper {
  /** Letters and long names of options without a value. */
  readonly flags?: string;
  readonly longFlags?: string;
  /** Those whose value is the next word, or stands behind them. */
  readonly values?: string;
  readonly longValues?: string;
  /** Words before the command. */
  readonly operands?: number;
  /** Assignments may stand before the command. */
  readonly assigns?: true;
  /** `-5` */
  readonly numbers?: true;
}

/**
 * The command behind a wrapper. An option that is not known may take the next word for its value, and what is open
 * may be an option: then nobody knows where the command begins.
 */
function behindOptions(words: readonly Word[], wrapper: Wrapper): readonly Word[] | undefined {
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
      const isIn = (list: string) => list.split(" ").includes(name);
      if (isIn(longValues)) at += value === undefined ? 1 : 0;
      else if (!isIn(longFlags)) return undefined;
      continue;
    }
    const letters = [...text.slice(1)];
    const valued = letters.findIndex((letter) => values.includes(letter));
    if (letters.slice(0, valued < 0 ? undefined : valued).some((letter) => !flags.includes(letter)))
      return undefined;
    if (valued === letters.length - 1) at++;
  }
  const rest = words.slice(at);
  if (rest.slice(0, operands).some(({ splits }) => splits)) return undefined;
  return rest.slice(operands);
}

export function wraps(wrapper: Wrapper): Reader {
  return ({ words }) => {
    const rest = behindOptions(words, wrapper);
    if (!rest) return UNREAD;
    return rest.length === 0 ? NOTHING : [{ words: rest }];
  };
}

/** `env`: also splits a text into words itself. */
export const env: Reader = (given) => {
  const at = given.words.findIndex(({ text }) => /^-[iv0]*S|^--split-string/.test(text));
  if (at < 0)
    return wraps({
      ...{ flags: "iv0", values: "uC", longFlags: "ignore-environment null debug", assigns: true },
      longValues: "unset chdir",
    })(given);
  const { text, ...rest } = given.words[at]!;
  const own = text.replace(/^-[iv0]*S|^--split-string=?/, "");
  const code = [...(own === "" ? [] : [{ ...rest, text: own }]), ...given.words.slice(at + 1)];
  return [{ code: joined(code) }];
};

const XARGS: Wrapper = {
  flags: "0rtpxo",
  values: "InPLdasE",
  longFlags: "null no-run-if-empty verbose interactive exit open-tty",
  longValues: "replace max-args max-procs max-lines delimiter arg-file max-chars eof",
};

/** What `xargs` reads stands behind its command, or in the place of a mark in it. */
export const xargs: Reader = ({ words }) => {
  const rest = behindOptions(words, XARGS);
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
export const find: Reader = ({ words }) => {
  const found: Runs[] = [];
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
    found.push({
      words: command.map((word) =>
        word.text.includes("{}")
          ? { ...word, text: word.text.replaceAll("{}", UNKNOWN), isOpen: true }
          : word,
      ),
    });
  }
  return found;
};

export function joined(words: readonly Word[]): Word {
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
export function wrapsCode(wrapper: Wrapper): Reader {
  return ({ words }) => {
    const rest = behindOptions(words, wrapper);
    if (!rest) return UNREAD;
    return rest.length === 0 ? NOTHING : [{ code: joined(rest) }];
  };
}

export const npx = wraps({
  flags: "yqn",
  values: "p",
  longFlags: "yes no no-install quiet bun",
  longValues: "package from with",
});

export const flock: Reader = ({ words }) => {
  const isCode = words.findIndex(({ text }) => text === "-c" || text === "--command");
  if (isCode >= 0) return words[isCode + 1] ? [{ code: words[isCode + 1]! }] : UNREAD;
  return wraps({
    ...{ flags: "sexnuoFv", values: "wE", operands: 1 },
    ...{
      longFlags: "shared exclusive nonblock unlock close no-fork verbose",
      longValues: "wait timeout conflict-exit-code",
    },
  })({ words, input: undefined });
};

export const command: Reader = ({ words, input }) =>
  words.some(({ text }, index) => /^-p?[vV]/.test(text) && index < 2)
    ? NOTHING
    : wraps({ flags: "p" })({ words, input });
