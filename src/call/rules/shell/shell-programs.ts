/** What programs run that are given another command, or code, in their command line. */

import type { Word } from "./shell-syntax.ts";
import {
  command,
  env,
  find,
  flock,
  type Given,
  joined,
  NOTHING,
  npx,
  type Reader,
  type Runs,
  UNREAD,
  type Wrapper,
  wraps,
  wrapsCode,
  xargs,
} from "./shell-wrappers.ts";

export type { Runs } from "./shell-wrappers.ts";

/** A shell reads its code from an option, a file or its input. */
const shell: Reader = ({ words, input }) => {
  for (let at = 0; at < words.length; at++) {
    const { text, isOpen, isGlob } = words[at]!;
    if (isOpen || isGlob) return UNREAD;
    if (/^--(?:version|help)$/.test(text)) return NOTHING;
    if (/^--(?:init-file|rcfile)$/.test(text) || text.startsWith("--rcfile=")) return UNREAD;
    if (/^[-+][A-Za-z]*[oO]$/.test(text)) at++;
    else if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) return fromOption(words.slice(at + 1));
    else if (/^-[A-Za-z]*s[A-Za-z]*$/.test(text)) break;
    else if (!/^[-+]/.test(text)) return text === "/dev/stdin" && input ? [{ code: input }] : UNREAD;
  }
  return input ? [{ code: input }] : UNREAD;
};

function fromOption(rest: readonly Word[]): readonly Runs[] {
  const at = rest.findIndex(({ text, isOpen }) => isOpen || !/^[-+]/.test(text));
  return at < 0 ? UNREAD : [{ code: rest[at]! }];
}

/** `eval` and whoever else puts its words together and has a shell read them. */
const evaluates: Reader = ({ words }) => (words.length === 0 ? NOTHING : [{ code: joined(words) }]);

/** `su -c CODE`, `script -c CODE`, and a shell without. */
const codeOption: Reader = ({ words }) => {
  const at = words.findIndex(({ text }) => /^-[a-z]*c$|^--command$/.test(text));
  return at >= 0 && words[at + 1] ? [{ code: words[at + 1]! }] : UNREAD;
};

const trap: Reader = ({ words }) => {
  const [code, ...signals] = words.filter(({ text }) => text !== "--");
  if (!code || signals.length === 0 || /^-[lp]?$/.test(code.text)) return NOTHING;
  return [{ code }];
};

/** Where one of its words is such, or may be. */
function unreadWhere(options: RegExp): Reader {
  return ({ words }) => (words.some(({ text, splits }) => splits || options.test(text)) ? UNREAD : NOTHING);
}

/** Interpreters: what stands behind the option is code of another language; without a file they read their input. */
function interpreter(options: RegExp): Reader {
  return ({ words }) => {
    const isAsked = words.some(({ text }) => /^(?:-V|-v|-h|--version|--help)$/.test(text));
    if (isAsked && words.length === 1) return NOTHING;
    const script = words.findIndex(({ text, isOpen }) => isOpen || !text.startsWith("-") || text === "-");
    const before = script < 0 ? words : words.slice(0, script + 1);
    const file = words[script]?.text;
    const isCode = before.some(({ text }) => options.test(text));
    return isCode || script < 0 || file === "-" || words[script]!.isOpen ? UNREAD : NOTHING;
  };
}

/** Its language can start programs; most of what is written in it does not. */
const awk: Reader = ({ words }) => {
  const isOpen =
    words.some(({ splits }) => splits) || words.find(({ text }) => !text.startsWith("-"))?.isOpen;
  const isMore = words.some(({ text }) => /system|\||@|^-(?:f|i|l|E|e)|^--/.test(text));
  return isOpen || isMore ? UNREAD : NOTHING;
};

/** GNU's `e` runs a command. */
const sed: Reader = ({ words }) => {
  const scripts = words.filter(({ text }) => !/^-[nEriszu]+$|^-i\.?\w*$/.test(text));
  if (words.some(({ text, splits }) => splits || /^-(?:[nErsz]*f|-file)/.test(text))) return UNREAD;
  return scripts.some(({ text, isOpen }) => isOpen || mayExecute(text)) ? UNREAD : NOTHING;
};

const SED_COMMAND =
  /^\s*(?:(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)(?:,[+~]?(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?))?\s*!?\s*)?(?:[dDgGhHnNpPqQxlz=]\d*|[sy](.)(?:(?!\1)[^\\\n]|\\[\s\S])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiIm\d]*)\s*(?:;|\n|$)/;

/** Whether a word, if it is a script, may be more than what is surely harmless; names of files have no `e` command either. */
function mayExecute(script: string): boolean {
  if (!/e/.test(script) || /^-/.test(script)) return false;
  if (script.length > 2_000) return true;
  let rest = script;
  for (let found = SED_COMMAND.exec(rest); found && rest !== ""; found = SED_COMMAND.exec(rest))
    rest = rest.slice(found[0].length);
  // A name of a file: it begins with no address, and `e` alone stands nowhere in it as a command.
  return rest !== "" && !/^[\w./-]*$/.test(rest) ? true : /^\d*e\b/.test(rest);
}

/** Settings of git that name no program. */
const SAFE_SETTING =
  /^(?:user|color|column|advice|init|push|pull|commit|log|status|fetch|branch)\.[\w.]+(?:=|$)/i;
const GIT_RUNS = /^(?:filter-branch|difftool|mergetool|daemon|shell|instaweb|hook|web--browse)$/;
const GIT_TAKES_PROGRAM = /^(?:rebase|grep|fetch|pull|push|clone|ls-remote|archive|send-pack)$/;
const GIT_PROGRAM =
  /^(?:-x.*|--exec(?:=.*)?|--(?:upload|receive)-pack.*|-O.*|--open-files-in-pager.*|ext::.*)$/;

/** Git runs what its settings and some of its commands say. */
const git: Reader = ({ words }) => {
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

/** The words behind the host are code for a shell there. An option may name a command that runs here. */
const ssh: Reader = ({ words }) => {
  if (
    words.some(
      ({ text, splits }) => splits || /command|localcommand/i.test(text) || /^-[A-Za-z]*F/.test(text),
    )
  )
    return UNREAD;
  return wrapsCode(SSH)({ words, input: undefined });
};

/** Behind `--`; without it nobody knows where the command begins. */
function behindDashes(when: RegExp): Reader {
  return ({ words }) => {
    if (!words.some(({ text, isOpen }) => isOpen || when.test(text))) return NOTHING;
    const at = words.findIndex(({ text }) => text === "--");
    return at < 0 ? UNREAD : [{ words: words.slice(at + 1) }];
  };
}

/** `npm exec`, `pnpm dlx`, `uv run`: a command of a package; `npm run x` is a program of its own. */
function packageRunner(commands: RegExp): Reader {
  return ({ words }) => {
    const [first, ...rest] = words;
    if (!first) return NOTHING;
    if (first.isOpen) return UNREAD;
    return commands.test(first.text) ? npx({ words: rest, input: undefined }) : NOTHING;
  };
}

const always: Reader = () => UNREAD;

const PROGRAMS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...each(
    "sudo",
    wraps({
      ...{ flags: "AbEeHKknPSVvB", values: "CDghpRrTtUu", assigns: true },
      ...{
        longFlags: "preserve-env set-home non-interactive background askpass stdin",
        longValues: "user group host prompt chdir",
      },
    }),
  ),
  ...each("doas", wraps({ flags: "Lns", values: "aCu" })),
  ...each("env", env),
  ...each("command", command),
  ...each("builtin busybox toybox nohup jobs", wraps({})),
  ...each("exec", wraps({ flags: "cl", values: "a" })),
  ...each(
    "time",
    wraps({
      flags: "apqvV",
      values: "fo",
      longFlags: "portability append quiet verbose",
      longValues: "format output",
    }),
  ),
  ...each("nice", wraps({ values: "n", longValues: "adjustment", numbers: true })),
  ...each("ionice", wraps({ flags: "t", values: "cn", longFlags: "ignore", longValues: "class classdata" })),
  ...each(
    "timeout",
    wraps({
      flags: "fpv",
      values: "ks",
      longFlags: "foreground preserve-status verbose",
      longValues: "kill-after signal",
      operands: 1,
    }),
  ),
  ...each("stdbuf", wraps({ values: "ioe", longValues: "input output error" })),
  ...each("setsid", wraps({ flags: "cfw", longFlags: "ctty fork wait" })),
  ...each("chroot", wraps({ operands: 1, longValues: "groups userspec", longFlags: "skip-chdir" })),
  ...each("strace ltrace", wraps({ flags: "cCdfFhiknqrtTvVxyYzZ", values: "abeEIoOpPsSuUX" })),
  ...each(
    "unshare",
    wraps({ flags: "imnpuUCTrfc", longFlags: "mount uts ipc net pid user cgroup fork map-root-user" }),
  ),
  ...each("flock", flock),
  ...each("xargs", xargs),
  ...each("find", find),
  ...each("sh bash dash zsh ksh mksh ash rbash fish", shell),
  ...each("eval", evaluates),
  ...each(
    "watch",
    wrapsCode({
      flags: "bcdegptwxC",
      values: "nq",
      longFlags: "beep color differences errexit chgexit exec no-title precise no-wrap",
      longValues: "interval",
    }),
  ),
  ...each("su runuser script sg", codeOption),
  ...each("trap", trap),
  ...each(
    ". source alias parallel at batch crontab tmux screen expect gdb systemd-run nsenter bwrap firejail socat entr watchexec nodemon hyperfine newgrp ed ex fc",
    always,
  ),
  ...each("python python2 python3 pypy pypy3", interpreter(/^-[A-Za-z]*c/)),
  ...each("perl", interpreter(/^-\w*[eE]/)),
  ...each("ruby", interpreter(/^-\w*e/)),
  ...each("node nodejs bun", interpreter(/^-[A-Za-z]*[epr]|^--(?:eval|print|require|import|loader)/)),
  ...each("php", interpreter(/^-[rBRE]/)),
  ...each("lua luajit tclsh osascript Rscript julia groovy scala ghci guile", interpreter(/^-\w*[elEr]/)),
  ...each("deno", unreadWhere(/^eval$/)),
  ...each("awk gawk mawk nawk", awk),
  ...each("sed gsed", sed),
  ...each("git", git),
  ...each("ssh", ssh),
  ...each("scp sftp", unreadWhere(/^-[A-Za-z0-9]*[SoDF]|command/i)),
  ...each("rsync", unreadWhere(/^-[A-Za-z]*e|^--(?:rsh|rsync-path)/)),
  ...each(
    "tar gtar bsdtar",
    unreadWhere(
      /^--(?:to-command|checkpoint-action|use-compress|info-script|new-volume|rsh)|^-?[A-Za-z]*[IF]/,
    ),
  ),
  ...each("zip", unreadWhere(/^-[A-Za-z]*T|^--unzip-command/)),
  ...each("sort", unreadWhere(/^--compress-prog/)),
  ...each("split", unreadWhere(/^--filter/)),
  ...each("vi vim nvim view emacs nano less more man", unreadWhere(/^[-+]|^!/)),
  ...each(
    "psql mysql mariadb sqlite3 ftp dc m4",
    unreadWhere(/\\!|\.(?:shell|system)|!|syscmd|^-[A-Za-z]*[cef]$/),
  ),
  ...each("make gmake", unreadWhere(/^--eval|^SHELL=|^-[A-Za-z]*f$|^-$|\$\(/)),
  ...each("nc ncat netcat", unreadWhere(/^-[A-Za-z]*[ec]|^--(?:exec|sh-exec|lua-exec)/)),
  ...each("rpm", unreadWhere(/%\(|^--(?:eval|pipe|define)/)),
  ...each("npx bunx uvx pnpx", npx),
  ...each("npm", packageRunner(/^(?:exec|x)$/)),
  ...each("pnpm yarn", packageRunner(/^(?:exec|dlx)$/)),
  ...each("uv poetry pipenv pipx rye hatch", packageRunner(/^run$/)),
  ...each("bundle", packageRunner(/^exec$/)),
  ...each("kubectl oc", behindDashes(/^(?:exec|run|debug)$/)),
  ...each("docker podman nerdctl docker-compose", unreadWhere(/^(?:exec|run)$/)),
  ...each("hash", unreadWhere(/^-[A-Za-z]*p/)),
  ...each("enable", unreadWhere(/^-[A-Za-z]*f/)),
  ...each("compgen complete", unreadWhere(/^-[A-Za-z]*[CF]/)),
  ...each("mapfile readarray", unreadWhere(/^-[A-Za-z]*C/)),
  ...each("bind", unreadWhere(/^-/)),
]);

function each(names: string, reader: Reader): readonly (readonly [string, Reader])[] {
  return names.split(" ").map((name) => [name, reader] as const);
}

/** It may run more than itself. */
export function runsMore(name: string): boolean {
  return readerOf(name) !== undefined;
}

/** `python3.12` is read as `python`. */
function readerOf(name: string): Reader | undefined {
  return PROGRAMS.get(name) ?? (/\d$/.test(name) ? PROGRAMS.get(name.replace(/-?[\d.]+$/, "")) : undefined);
}

/** What a program runs beside itself, as far as its command line says. */
export function runsOf(name: string, given: Given): readonly Runs[] {
  return readerOf(name)?.(given) ?? NOTHING;
}
