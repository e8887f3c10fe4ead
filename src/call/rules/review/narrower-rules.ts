import type { Caller } from "../../../contract/caller.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { RulePattern } from "../../../machine/config/settings.ts";
import type { RuleInput } from "../contract.ts";
import type { Decider } from "../watchdog.ts";

const MAX_GLOB = 500;
const MAX_RULES = 6;
/** A call with more or longer arguments is not expected to come again. */
const MAX_ARGUMENTS = 8;
const MAX_ARGUMENT = 200;

/**
 * Rules that would allow this call and later ones like it, the widest first: for every call of the tool, or only for
 * calls with the same path, host or command, or else with the same arguments. Each rule is tried out: those that would
 * not let this call run are left out.
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
    ...patternsOfOne("command", command, [firstWords, whole]),
    ...patternsOfOne("host", [...host, ...hostInCommand], [whole]),
    ...patternsOfOne("path", path, [folder, whole]),
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

type Widen = (subject: string) => string | undefined;

/** None if the call has several subjects of this kind: nobody can say which one is meant. */
function patternsOfOne(
  kind: string,
  subjects: readonly string[],
  ways: readonly Widen[],
): readonly RulePattern[] {
  const [subject, ...others] = new Set(subjects);
  if (subject === undefined || others.length > 0 || !isPlain(subject)) return [];
  return ways.flatMap((way) => {
    const glob = way(subject);
    return glob === undefined || glob.length > MAX_GLOB ? [] : [{ [kind]: glob }];
  });
}

/** A pattern with every argument as it is, if a pattern can express all of them. */
function sameArguments(args: Readonly<Record<string, unknown>>): readonly RulePattern[] {
  const given = Object.entries(args);
  if (given.length === 0 || given.length > MAX_ARGUMENTS) return [];
  const isExpressible = ([name, value]: readonly [string, unknown]) =>
    /^[\w-]+$/.test(name) &&
    ["string", "number", "boolean"].includes(typeof value) &&
    value !== "" &&
    String(value).length <= MAX_ARGUMENT &&
    isPlain(String(value));
  if (!given.every(isExpressible)) return [];
  return [Object.fromEntries(given.map(([name, value]) => [`arg.${name}`, String(value)]))];
}

/** As a glob it stands for itself, and nothing of it was redacted. */
function isPlain(text: string): boolean {
  return !/[*?[\]{}\\]|^!/.test(text) && !text.includes("[redacted");
}

const whole: Widen = (subject) => subject;

/** `git push *` of `git push origin main`. */
const firstWords: Widen = (command) => {
  const words = command.split(" ");
  return words.length < 3 ? undefined : `${words.slice(0, 2).join(" ")} *`;
};

/** Everything in the folder of a file, and below. */
const folder: Widen = (path) => {
  const at = path.lastIndexOf("/");
  return at <= 0 ? undefined : `${path.slice(0, at)}/**`;
};
