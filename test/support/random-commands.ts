// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expansions of a shell.
import type { Dice } from "./dice.ts";

type Change = (code: string, dice: Dice) => string;

const single = (code: string) => `'${code.replaceAll("'", `'\\''`)}'`;
const double = (code: string) => `"${code.replace(/[\\"$`]/g, "\\$&")}"`;
const ansi = (code: string) =>
  `$'${[...code].map((char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`;
const quoted: Change = (code, dice) => dice.one([single, double, ansi])(code);

/** Ways to write the word `rm`. */
const NAMES = [
  ...["rm", "r\\m", "\\rm", "'rm'", '"rm"', "r''m", "$'rm'", "$'\\x72m'", "$'\\162m'", '$"rm"', "r\\\nm"],
  ...["/bin/rm", "bin/rm", "/usr/bin/../bin/rm", "bin/r?", "bin/r[m]", "$(echo rm)", "`echo rm`", "${X:-rm}"],
  ...["r${X}m", "r$X'm'", "r$(:)m", "r\\m''", "{rm,-f}", "bin/*rm"],
];
const ARGUMENTS = ["x", "-rf x", "'x y'", "-- x", '"$HOME/x"', "x \\\n y", "$(echo x)", "x # it's"];

/** What runs a simple command. */
const WRAPPERS: readonly Change[] = [
  (code) => `command ${code}`,
  (code) => `command -- ${code}`,
  (code) => `env ${code}`,
  (code) => `env A=1 -u B ${code}`.replace("A=1 -u B", "-u B A=1"),
  (code) => `nice -n 1 ${code}`,
  (code) => `timeout -k 1 5 ${code}`,
  (code) => `nohup ${code}`,
  (code) => `exec ${code}`,
  (code) => `A=1 ${code}`,
  (code) => `2>err ${code}`,
  (code) => `>out ${code}`,
  (code) => `! ${code}`,
  (code) => `time ${code}`,
  (code) => `stdbuf -oL ${code}`,
  (code) => `setsid -w ${code}`,
];

/** What has any code in it. */
const CONTEXTS: readonly Change[] = [
  (code) => `ls; ${code}`,
  (code) => `ls && ${code}`,
  (code) => `false || ${code}`,
  (code) => `ls | ${code}`,
  (code) => `ls\n${code}`,
  (code) => `ls & ${code}`,
  (code) => `(${code}\n)`,
  (code) => `{ ${code}\n}`,
  (code) => `echo $(${code}\n)`,
  (code) => `echo "a $(${code}\n) b"`,
  (code) => `echo \${X:-$(${code}\n)}`,
  (code) => `echo $((1 + $(${code}\n)1))`,
  (code) => `A=$(${code}\n) ls`,
  (code) => `a=(1 $(${code}\n))`,
  (code) => `cat <(${code}\n)`,
  (code) => `cat <<E\n$(${code}\n)\nE`,
  (code) => `cat <<'E'\nit's\nE\n${code}`,
  (code) => `echo a # don't\n${code}`,
  (code) => `echo "it's"; ${code}\necho "it's"`,
  (code) => `echo \\'; ${code}\necho \\'`,
  (code) => `if true; then ${code}\nfi`,
  (code) => `if ${code}\nthen ls; fi`,
  (code) => `for i in 1; do ${code}\ndone`,
  (code) => `for ((i = 0; i < 1; i++)); do ${code}\ndone`,
  (code) => `while ${code}\ndo break; done`,
  (code) => `case a in b) ls;; (a) ${code}\n;; esac`,
  (code) => `case a in a) ${code}\nesac; ls`,
  (code) => `f() { ${code}\n}; f`,
  (code) => `function f { ${code}\n}\nf`,
  (code) => `ls() { ${code}\n}; ls`,
  (code) => `[[ -n a && ! b < a ]] && ${code}`,
  (code) => `[[ $(${code}\n) ]]`,
  (code) => `coproc { ${code}\n}; wait`,
  (code) => `ls \\\n&& ${code}`,
  (code, dice) => `eval ${quoted(code, dice)}`,
  (code, dice) => `sh -c ${quoted(code, dice)}`,
  (code, dice) => `bash -ec ${quoted(code, dice)} _ a`,
  (code, dice) => `X=${quoted(code, dice)}; eval "$X"`,
  (code, dice) => `X=${quoted(code, dice)}; bash -c "$X"`,
  (code, dice) => `bash <<< ${quoted(code, dice)}`,
  (code) => `bash <<'E_O_F'\n${code}\nE_O_F`,
  (code, dice) => `printf %s ${quoted(code, dice)} | bash`,
  (code, dice) => `printf %s ${quoted(code, dice)} > f; . ./f`,
  (code, dice) => `. <(printf %s ${quoted(code, dice)})`,
  (code, dice) => `trap ${quoted(code, dice)} EXIT`,
  (code, dice) => `echo a | xargs -I% sh -c ${quoted(code, dice)}`,
  (code, dice) => `find . -maxdepth 0 -exec sh -c ${quoted(code, dice)} \\;`,
  (code, dice) => `env sh -c ${quoted(code, dice)}`,
  (code) => `echo \`${code.replace(/[\\`$]/g, "\\$&")}\n\``,
  (code) => `test -v ${single(`a[$(${code}\n)]`)}`,
  (code) => `[ -v ${single(`a[$(${code}\n)]`)} ]`,
  (code) => `printf -v ${single(`a[$(${code}\n)]`)} y`,
  (code) => `read ${single(`a[$(${code}\n)]`)} <<< y`,
  (code) => `declare ${single(`a[$(${code}\n)]=y`)}`,
  (code) => `let ${single(`a[$(${code}\n)]=1`)}`,
  (code) => `X=${single(`a[$(${code}\n)]`)}; echo $((X))`,
  (code) => `X=${single(`a[$(${code}\n)]`)}; [[ X -eq 0 ]]`,
  (code) => `[[ ${single(`a[$(${code}\n)]`)} -eq 0 ]]`,
];

/** A line that may run `rm`, in one of very many ways to write that. */
export function randomDelete(dice: Dice): string {
  let code = `${dice.one(NAMES)} ${dice.one(ARGUMENTS)}`;
  for (let count = dice.below(3); count > 0; count--) code = dice.one(WRAPPERS)(code, dice);
  for (let count = dice.below(4); count > 0; count--) code = dice.one(CONTEXTS)(code, dice);
  return code;
}
