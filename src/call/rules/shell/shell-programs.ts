/** What programs run if their command line contains another command, or code. */

import type { Word } from "./shell-syntax.ts";
import {
  command,
  env,
  find,
  flock,
  type Invocation,
  joinWords,
  NOTHING,
  npx,
  type ProgramArguments,
  type ProgramReader,
  readCodeWrapper,
  readWrapper,
  UNREAD,
  type Wrapper,
  xargs,
} from "./shell-wrappers.ts";

export type { Invocation as Runs } from "./shell-wrappers.ts";

/** A shell reads its code from an option, a file or its input. */
const shell: ProgramReader = ({ words, input }) => {
  for (let at = 0; at < words.length; at++) {
    const { text, isOpen, isGlob } = words[at]!;
    if (isOpen || isGlob) return UNREAD;
    if (/^--(?:version|help)$/.test(text)) return NOTHING;
    if (/^--(?:init-file|rcfile)$/.test(text) || text.startsWith("--rcfile=")) return UNREAD;
    if (/^[-+][A-Za-z]*[oO]$/.test(text)) at++;
    else if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) return codeFromOption(words.slice(at + 1));
    else if (/^-[A-Za-z]*s[A-Za-z]*$/.test(text)) break;
    else if (!/^[-+]/.test(text)) return text === "/dev/stdin" && input ? [{ code: input }] : UNREAD;
  }
  return input ? [{ code: input }] : UNREAD;
};

function codeFromOption(rest: readonly Word[]): readonly Invocation[] {
  const at = rest.findIndex(({ text, isOpen }) => isOpen || !/^[-+]/.test(text));
  return at < 0 ? UNREAD : [{ code: rest[at]! }];
}

/** `eval` and other programs that join their words and have a shell read them. */
const joinedCode: ProgramReader = ({ words }) =>
  words.length === 0 ? NOTHING : [{ code: joinWords(words) }];

/** `su -c CODE`, `script -c CODE`; without the option they start a shell. */
const codeOption: ProgramReader = ({ words }) => {
  const at = words.findIndex(({ text }) => /^-[a-z]*c$|^--command$/.test(text));
  return at >= 0 && words[at + 1] ? [{ code: words[at + 1]! }] : UNREAD;
};

const trap: ProgramReader = ({ words }) => {
  const [code, ...signals] = words.filter(({ text }) => text !== "--");
  if (!code || signals.length === 0 || /^-[lp]?$/.test(code.text)) return NOTHING;
  return [{ code }];
};

/** Unread where one of its words matches, or may. */
function unreadIf(options: RegExp): ProgramReader {
  return ({ words }) => (words.some(({ text, splits }) => splits || options.test(text)) ? UNREAD : NOTHING);
}

/** Interpreters: the option is followed by code of another language; without a file they read their input. */
function interpreter(options: RegExp): ProgramReader {
  return ({ words }) => {
    const asksForHelp = words.some(({ text }) => /^(?:-V|-v|-h|--version|--help)$/.test(text));
    if (asksForHelp && words.length === 1) return NOTHING;
    const script = words.findIndex(({ text, isOpen }) => isOpen || !text.startsWith("-") || text === "-");
    const before = script < 0 ? words : words.slice(0, script + 1);
    const file = words[script]?.text;
    const isCode = before.some(({ text }) => options.test(text));
    return isCode || script < 0 || file === "-" || words[script]!.isOpen ? UNREAD : NOTHING;
  };
}

/** Its language can start programs; most awk programs do not. */
const awk: ProgramReader = ({ words }) => {
  const isOpen =
    words.some(({ splits }) => splits) || words.find(({ text }) => !text.startsWith("-"))?.isOpen;
  const mayRunPrograms = words.some(({ text }) => /system|\||@|^-(?:f|i|l|E|e)|^--/.test(text));
  return isOpen || mayRunPrograms ? UNREAD : NOTHING;
};

/** GNU's `e` command runs a command. */
const sed: ProgramReader = ({ words }) => {
  const scripts = words.filter(({ text }) => !/^-[nEriszu]+$|^-i\.?\w*$/.test(text));
  if (words.some(({ text, splits }) => splits || /^-(?:[nErsz]*f|-file)/.test(text))) return UNREAD;
  return scripts.some(({ text, isOpen }) => isOpen || mayExecute(text)) ? UNREAD : NOTHING;
};

const SED_COMMAND =
  /^\s*(?:(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)(?:,[+~]?(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?))?\s*!?\s*)?(?:[dDgGhHnNpPqQxlz=]\d*|[sy](.)(?:(?!\1)[^\\\n]|\\[\s\S])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiIm\d]*)\s*(?:;|\n|$)/;

/**
 * Whether a word, if it is a script, may contain more than what is certainly harmless. Names of files contain no `e`
 * command.
 */
function mayExecute(script: string): boolean {
  if (!/e/.test(script) || /^-/.test(script)) return false;
  if (script.length > 2_000) return true;
  let rest = script;
  for (let found = SED_COMMAND.exec(rest); found && rest !== ""; found = SED_COMMAND.exec(rest))
    rest = rest.slice(found[0].length);
  // What remains may be a file name: it begins with no address and contains no `e` as a command.
  return rest !== "" && !/^[\w./-]*$/.test(rest) ? true : /^\d*e\b/.test(rest);
}

/** Git settings that name no program. */
const SAFE_SETTING =
  /^(?:user|color|column|advice|init|push|pull|commit|log|status|fetch|branch)\.[\w.]+(?:=|$)/i;
const GIT_RUNS = /^(?:filter-branch|difftool|mergetool|daemon|shell|instaweb|hook|web--browse)$/;
const GIT_TAKES_PROGRAM = /^(?:rebase|grep|fetch|pull|push|clone|ls-remote|archive|send-pack)$/;
const GIT_PROGRAM =
  /^(?:-x.*|--exec(?:=.*)?|--(?:upload|receive)-pack.*|-O.*|--open-files-in-pager.*|ext::.*)$/;

/** Git runs what its settings and some of its commands name. */
const git: ProgramReader = ({ words }) => {
  let at = 0;
  for (; at < words.length && /^[-\uffff]/.test(words[at]!.text); at++) {
    const { text, isOpen } = words[at]!;
    if (isOpen || /^-c.|^--(?:config-env|exec-path=)/.test(text)) return UNREAD;
    if (text === "-c" && !SAFE_SETTING.test(words[at + 1]?.text ?? "")) return UNREAD;
    if (/^-[cC]$|^--(?:git-dir|work-tree|namespace)$/.test(text)) at++;
  }
  const name = words[at]?.text ?? "";
  if (words[at]?.isOpen) return UNREAD;
  const rest = words.slice(at + 1);
  const has = (option: RegExp) => rest.some(({ text }) => option.test(text));
  const isUnread =
    GIT_RUNS.test(name) ||
    (name === "submodule" && has(/^foreach$/)) ||
    (name === "bisect" && has(/^run$/)) ||
    (name === "config" &&
      rest.length > 1 &&
      has(/\./) &&
      !has(/^--(?:get|list|unset)|^-l$/) &&
      !has(SAFE_SETTING)) ||
    (GIT_TAKES_PROGRAM.test(name) && has(GIT_PROGRAM));
  return isUnread ? UNREAD : NOTHING;
};

const SSH: Wrapper = { flags: "1246AaCfGgKkMNnqsTtVvXxYy", values: "BbcDEeFIiJLlmOopQRSWw", operands: 1 };

/** The words after the host are code for a shell there. An option may name a command that runs here. */
const ssh: ProgramReader = ({ words }) => {
  if (
    words.some(
      ({ text, splits }) => splits || /command|localcommand/i.test(text) || /^-[A-Za-z]*F/.test(text),
    )
  )
    return UNREAD;
  return readCodeWrapper(SSH)({ words, input: undefined });
};

/** The command follows `--`; without it nobody knows where the command begins. */
function afterDashes(when: RegExp): ProgramReader {
  return ({ words }) => {
    if (!words.some(({ text, isOpen }) => isOpen || when.test(text))) return NOTHING;
    const at = words.findIndex(({ text }) => text === "--");
    return at < 0 ? UNREAD : [{ words: words.slice(at + 1) }];
  };
}

/** `npm exec`, `pnpm dlx`, `uv run`: a command of a package. `npm run x` counts as its own program. */
function packageRunner(commands: RegExp): ProgramReader {
  return ({ words }) => {
    const [first, ...rest] = words;
    if (!first) return NOTHING;
    if (first.isOpen) return UNREAD;
    return commands.test(first.text) ? npx({ words: rest, input: undefined }) : NOTHING;
  };
}

const alwaysUnread: ProgramReader = () => UNREAD;

const PROGRAMS: ReadonlyMap<string, ProgramReader> = new Map<string, ProgramReader>([
  ...entriesFor(
    "sudo",
    readWrapper({
      ...{ flags: "AbEeHKknPSVvB", values: "CDghpRrTtUu", assigns: true },
      ...{
        longFlags: "preserve-env set-home non-interactive background askpass stdin",
        longValues: "user group host prompt chdir",
      },
    }),
  ),
  ...entriesFor("doas", readWrapper({ flags: "Lns", values: "aCu" })),
  ...entriesFor("env", env),
  ...entriesFor("command", command),
  ...entriesFor("builtin busybox toybox nohup jobs", readWrapper({})),
  ...entriesFor("exec", readWrapper({ flags: "cl", values: "a" })),
  ...entriesFor(
    "time",
    readWrapper({
      flags: "apqvV",
      values: "fo",
      longFlags: "portability append quiet verbose",
      longValues: "format output",
    }),
  ),
  ...entriesFor("nice", readWrapper({ values: "n", longValues: "adjustment", numbers: true })),
  ...entriesFor(
    "ionice",
    readWrapper({ flags: "t", values: "cn", longFlags: "ignore", longValues: "class classdata" }),
  ),
  ...entriesFor(
    "timeout",
    readWrapper({
      flags: "fpv",
      values: "ks",
      longFlags: "foreground preserve-status verbose",
      longValues: "kill-after signal",
      operands: 1,
    }),
  ),
  ...entriesFor("stdbuf", readWrapper({ values: "ioe", longValues: "input output error" })),
  ...entriesFor("setsid", readWrapper({ flags: "cfw", longFlags: "ctty fork wait" })),
  ...entriesFor(
    "chroot",
    readWrapper({ operands: 1, longValues: "groups userspec", longFlags: "skip-chdir" }),
  ),
  ...entriesFor("strace ltrace", readWrapper({ flags: "cCdfFhiknqrtTvVxyYzZ", values: "abeEIoOpPsSuUX" })),
  ...entriesFor(
    "unshare",
    readWrapper({ flags: "imnpuUCTrfc", longFlags: "mount uts ipc net pid user cgroup fork map-root-user" }),
  ),
  ...entriesFor("flock", flock),
  ...entriesFor("xargs", xargs),
  ...entriesFor("find", find),
  ...entriesFor("sh bash dash zsh ksh mksh ash rbash fish", shell),
  ...entriesFor("eval", joinedCode),
  ...entriesFor(
    "watch",
    readCodeWrapper({
      flags: "bcdegptwxC",
      values: "nq",
      longFlags: "beep color differences errexit chgexit exec no-title precise no-wrap",
      longValues: "interval",
    }),
  ),
  ...entriesFor("su runuser script sg", codeOption),
  ...entriesFor("trap", trap),
  ...entriesFor(
    ". source alias parallel at batch crontab tmux screen expect gdb systemd-run nsenter bwrap firejail socat entr watchexec nodemon hyperfine newgrp ed ex fc",
    alwaysUnread,
  ),
  ...entriesFor("python python2 python3 pypy pypy3", interpreter(/^-[A-Za-z]*c/)),
  ...entriesFor("perl", interpreter(/^-\w*[eE]/)),
  ...entriesFor("ruby", interpreter(/^-\w*e/)),
  ...entriesFor("node nodejs bun", interpreter(/^-[A-Za-z]*[epr]|^--(?:eval|print|require|import|loader)/)),
  ...entriesFor("php", interpreter(/^-[rBRE]/)),
  ...entriesFor(
    "lua luajit tclsh osascript Rscript julia groovy scala ghci guile",
    interpreter(/^-\w*[elEr]/),
  ),
  ...entriesFor("deno", unreadIf(/^eval$/)),
  ...entriesFor("awk gawk mawk nawk", awk),
  ...entriesFor("sed gsed", sed),
  ...entriesFor("git", git),
  ...entriesFor("ssh", ssh),
  ...entriesFor("scp sftp", unreadIf(/^-[A-Za-z0-9]*[SoDF]|command/i)),
  ...entriesFor("rsync", unreadIf(/^-[A-Za-z]*e|^--(?:rsh|rsync-path)/)),
  ...entriesFor(
    "tar gtar bsdtar",
    unreadIf(/^--(?:to-command|checkpoint-action|use-compress|info-script|new-volume|rsh)|^-?[A-Za-z]*[IF]/),
  ),
  ...entriesFor("zip", unreadIf(/^-[A-Za-z]*T|^--unzip-command/)),
  ...entriesFor("sort", unreadIf(/^--compress-prog/)),
  ...entriesFor("split", unreadIf(/^--filter/)),
  ...entriesFor("vi vim nvim view emacs nano less more man", unreadIf(/^[-+]|^!/)),
  ...entriesFor(
    "psql mysql mariadb sqlite3 ftp dc m4",
    unreadIf(/\\!|\.(?:shell|system)|!|syscmd|^-[A-Za-z]*[cef]$/),
  ),
  ...entriesFor("make gmake", unreadIf(/^--eval|^SHELL=|^-[A-Za-z]*f$|^-$|\$\(/)),
  ...entriesFor("nc ncat netcat", unreadIf(/^-[A-Za-z]*[ec]|^--(?:exec|sh-exec|lua-exec)/)),
  ...entriesFor("rpm", unreadIf(/%\(|^--(?:eval|pipe|define)/)),
  ...entriesFor("npx bunx uvx pnpx", npx),
  ...entriesFor("npm", packageRunner(/^(?:exec|x)$/)),
  ...entriesFor("pnpm yarn", packageRunner(/^(?:exec|dlx)$/)),
  ...entriesFor("uv poetry pipenv pipx rye hatch", packageRunner(/^run$/)),
  ...entriesFor("bundle", packageRunner(/^exec$/)),
  ...entriesFor("kubectl oc", afterDashes(/^(?:exec|run|debug)$/)),
  ...entriesFor("docker podman nerdctl docker-compose", unreadIf(/^(?:exec|run)$/)),
  ...entriesFor("hash", unreadIf(/^-[A-Za-z]*p/)),
  ...entriesFor("enable", unreadIf(/^-[A-Za-z]*f/)),
  ...entriesFor("compgen complete", unreadIf(/^-[A-Za-z]*[CF]/)),
  ...entriesFor("mapfile readarray", unreadIf(/^-[A-Za-z]*C/)),
  ...entriesFor("bind", unreadIf(/^-/)),
]);

function entriesFor(names: string, reader: ProgramReader): readonly (readonly [string, ProgramReader])[] {
  return names.split(" ").map((name) => [name, reader] as const);
}

/** Whether it may run more than itself. */
export function mayRunMore(name: string): boolean {
  return readerOf(name) !== undefined;
}

/** `python3.12` is read as `python`. */
function readerOf(name: string): ProgramReader | undefined {
  return PROGRAMS.get(name) ?? (/\d$/.test(name) ? PROGRAMS.get(name.replace(/-?[\d.]+$/, "")) : undefined);
}

/** What a program runs besides itself, as far as its command line says. */
export function invocationsOf(name: string, args: ProgramArguments): readonly Invocation[] {
  return readerOf(name)?.(args) ?? NOTHING;
}
