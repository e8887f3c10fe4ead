import type { Decider } from "../../../call/rules/watchdog.ts";
import type { Caller } from "../../../contract/caller.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { RulePattern } from "../../../machine/config/settings.ts";
import type { RuleInput } from "../contract.ts";

const MAX_GLOB = 500;
const MAX_RULES = 6;
/** A call with more arguments, or longer ones, never comes a second time. */
const MAX_ARGUMENTS = 8;
const MAX_ARGUMENT = 200;

/**
 * The rules by which a yes to this call could count for later ones, the widest first: for every call of the tool, or only
 * for such as this; where it is about no path, host or command, for the same arguments. Tried out, not guessed: one that would not let the call run is not among them.
 */
export function narrowerRules(
  decider: Decider,
  tool: Tool,
  caller: Caller,
  args: Readonly<Record<string, unknown>>,
): readonly RuleInput[] {
  const { rules } = decider;
  const call = decider.callOf(caller, args);
  const more = decider.extraRulesFor(caller);
  const { path, host, hostInCommand, command } = rules.factsOf(tool, call).subjects;
  const subjects = [
    ...only("command", command, [firstWords, whole]),
    ...only("host", [...host, ...hostInCommand], [whole]),
    ...only("path", path, [folder, whole]),
  ];
  const patterns: readonly (RulePattern | undefined)[] = [
    undefined,
    ...(subjects.length > 0 ? subjects : sameArguments(args)),
  ];
  return patterns
    .map((pattern): RuleInput => {
      const rule = { permission: tool.name, action: "allow" as const };
      return pattern === undefined ? rule : { ...rule, pattern };
    })
    .filter((rule) => {
      const added = rules.compileExtra([{ ...rule, from: "agent", isAnswer: true }]);
      return rules.decide(tool, call, [...more, added]).action === "allow";
    })
    .slice(0, MAX_RULES);
}

type Widened = (subject: string) => string | undefined;

/** Of what a call is about once; of several things nobody can say which one is meant. */
function only(kind: string, subjects: readonly string[], ways: readonly Widened[]): readonly RulePattern[] {
  const [subject, ...others] = new Set(subjects);
  if (subject === undefined || others.length > 0 || !isPlain(subject)) return [];
  return ways.flatMap((way) => {
    const glob = way(subject);
    return glob === undefined || glob.length > MAX_GLOB ? [] : [{ [kind]: glob }];
  });
}

/** Every argument as it is, where a pattern can say so of all of them. */
function sameArguments(args: Readonly<Record<string, unknown>>): readonly RulePattern[] {
  const given = Object.entries(args);
  if (given.length === 0 || given.length > MAX_ARGUMENTS) return [];
  const isSayable = ([name, value]: readonly [string, unknown]) =>
    /^[\w-]+$/.test(name) &&
    ["string", "number", "boolean"].includes(typeof value) &&
    value !== "" &&
    String(value).length <= MAX_ARGUMENT &&
    isPlain(String(value));
  if (!given.every(isSayable)) return [];
  return [Object.fromEntries(given.map(([name, value]) => [`arg.${name}`, String(value)]))];
}

/** As a glob it stands for itself, and nothing of it is left out. */
function isPlain(text: string): boolean {
  return !/[*?[\]{}\\]|^!/.test(text) && !text.includes("[redacted");
}

const whole: Widened = (subject) => subject;

/** `git push *` of `git push origin main`. */
const firstWords: Widened = (command) => {
  const words = command.split(" ");
  return words.length < 3 ? undefined : `${words.slice(0, 2).join(" ")} *`;
};

/** Everything beside a file, and below. */
const folder: Widened = (path) => {
  const at = path.lastIndexOf("/");
  return at <= 0 ? undefined : `${path.slice(0, at)}/**`;
};
