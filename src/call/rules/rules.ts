import { posix } from "node:path";
import type { Capability } from "../../contract/tool.ts";
import type { FileRules } from "../../lib/files/file-rules.ts";
import type { Rule } from "../../machine/config/settings.ts";
import { ArgumentKinds } from "./argument-kinds.ts";
import { CallTexts } from "./call-texts.ts";
import { type Candidates, RuleIndex } from "./candidates.ts";
import {
  type Action,
  type Circumstances,
  type CompiledRule,
  compileRule,
  type RuledTool,
  STRICTNESS,
} from "./compiled-rule.ts";
import { FileDecisions } from "./paths/file-rules.ts";
import { CallPaths, type PathBase } from "./paths/path-readings.ts";
import type { CallFacts } from "./pattern.ts";
import { subjectsOf } from "./subjects.ts";
import { allRules, deniesAll, type FindFirst, weigh } from "./weigh.ts";

export type { Action } from "./compiled-rule.ts";

export interface Decision {
  readonly action: Action;
  /** The rule that decided, as text by which a person can find it. */
  readonly rule: string;
  /** Only for a stored rule. */
  readonly ruleId?: string;
  /** The conversation's labels, where the rule depends on one. */
  readonly labels?: readonly string[];
}

/** A call to decide about; absent fields are empty. */
export interface RuledCall {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly labels?: ReadonlySet<string>;
  readonly pathBase?: () => PathBase;
}

export const NO_RULE: Decision = { action: "allow", rule: "default: allow" };
const NO_LABELS: ReadonlySet<string> = new Set();
const DEFAULT_BASE: PathBase = { workspace: "/workspace", userHome: "/home/user" };
const NO_EXTRA: readonly RuleIndex[] = [];
const REACHES_FILES: readonly Capability[] = ["fs.read", "fs.write", "shell"];

/** Decides by compiled rules. Pure: the same call always gets the same answer. */
export class Rules {
  readonly all: readonly CompiledRule[];
  readonly #own: RuleIndex;
  readonly #project: RuleIndex;
  /** Cached because every list of every agent asks about every tool, and for most only one answer is possible. */
  readonly #decided = new WeakMap<object, Decision>();
  readonly #hidden = new WeakMap<object, boolean>();
  readonly #kinds = new WeakMap<object, ArgumentKinds>();
  readonly #fileReaders = new WeakMap<object, RuledTool>();
  readonly #userHome: string;

  constructor(
    rules: readonly Rule[],
    { userHome = DEFAULT_BASE.userHome }: { readonly userHome?: string } = {},
  ) {
    this.#userHome = userHome;
    this.all = rules.map((rule) => compileRule(rule, userHome));
    this.#own = new RuleIndex(this.all.filter(({ rule }) => rule.from !== "project"));
    this.#project = new RuleIndex(this.all.filter(({ rule }) => rule.from === "project"));
  }

  /** Compiles rules that count for some callers only, to be passed to `decide` and `isHidden`. */
  compileExtra(rules: readonly Rule[]): RuleIndex {
    return new RuleIndex(rules.map((rule) => compileRule(rule, this.#userHome)));
  }

  /** The tools that a rule with this permission is about. */
  toolsMatching<T extends RuledTool>(permission: string, tools: readonly T[]): readonly T[] {
    const index = this.compileExtra([{ permission, action: "ask", from: "user" }]);
    return tools.filter((tool) => index.for(tool).asks);
  }

  decide(tool: RuledTool, call: RuledCall = {}, extra: readonly RuleIndex[] = NO_EXTRA): Decision {
    if (this.#own.size + this.#project.size + extra.length === 0) return NO_RULE;
    const own = this.#candidates(tool, extra);
    const project = this.#project.for(tool);
    const isConditional = project.isConditional || own.some((each) => each.isConditional);
    if (isConditional || extra.length > 0) return this.#weigh(tool, own, project, call);
    const decided = this.#decided.get(tool) ?? this.#weigh(tool, own, project, call);
    this.#decided.set(tool, decided);
    return decided;
  }

  /** Whether every call of the tool is denied. */
  isHidden(tool: RuledTool, extra: readonly RuleIndex[] = NO_EXTRA): boolean {
    if (this.#own.size + this.#project.size + extra.length === 0) return false;
    const known = extra.length === 0 ? this.#hidden.get(tool) : undefined;
    if (known !== undefined) return known;
    const isHidden = deniesAll(this.#candidates(tool, extra), this.#project.for(tool));
    if (extra.length === 0) this.#hidden.set(tool, isHidden);
    return isHidden;
  }

  /** False: no rule about the tool asks. */
  mayAsk(tool: RuledTool, extra: readonly RuleIndex[] = NO_EXTRA): boolean {
    return this.#project.for(tool).asks || this.#candidates(tool, extra).some(({ asks }) => asks);
  }

  /** Every rule about the tool, and whether it matches the call; for explanations. */
  matchAll(
    tool: RuledTool,
    call: RuledCall,
    extra: readonly RuleIndex[] = NO_EXTRA,
  ): {
    readonly winner: CompiledRule | undefined;
    readonly decision: Decision;
    readonly all: ReadonlyMap<CompiledRule, boolean>;
  } {
    const own = this.#candidates(tool, extra);
    const project = this.#project.for(tool);
    const circumstances = this.#circumstances(tool, call);
    const all = new Map<CompiledRule, boolean>();
    for (const each of [...own, project])
      for (const rule of allRules(each)) all.set(rule, rule.matches(circumstances));
    const { uncertainDenies } = circumstances;
    const first: FindFirst = (rules, test) => rules.all.find((rule) => all.get(rule) === true && test(rule));
    const certain: FindFirst = (rules, test) =>
      first(rules, (rule) => test(rule) && !uncertainDenies.has(rule));
    const winner = winnerOf(own, project, { first, certain, uncertainDenies });
    return { winner, decision: decisionOf(winner, call, circumstances), all };
  }

  /** Decides about files that a call comes across, each as if the arguments had named it. */
  files(tool: RuledTool, call: RuledCall, extra: readonly RuleIndex[], isOperator: boolean): FileRules {
    const fileReader = this.#asFileReader(tool);
    const own = this.#candidates(fileReader, extra);
    const project = this.#project.for(fileReader);
    const matchingAsks = [...this.matchAll(tool, call, extra).all]
      .filter(([{ rule }, matched]) => matched && rule.action === "ask")
      .map(([rule]) => rule);
    const { args, declares } = this.factsOf(tool, call);
    const pathBase = pathBaseOf(tool, call);
    return new FileDecisions({
      ...{ own, project, args, declares, pathBase, isOperator },
      answeredAsks: new Set(matchingAsks),
      labels: call.labels ?? NO_LABELS,
    });
  }

  /** A tool that declares no file capability counts as reading the files that it comes across. */
  #asFileReader(tool: RuledTool): RuledTool {
    const { capabilities = [] } = tool;
    if (capabilities.some((each) => REACHES_FILES.includes(each))) return tool;
    const fileReader = this.#fileReaders.get(tool) ?? { ...tool, capabilities: [...capabilities, "fs.read"] };
    this.#fileReaders.set(tool, fileReader);
    return fileReader;
  }

  /** The facts of a call that its rules look at. */
  factsOf(tool: RuledTool, call: RuledCall): CallFacts {
    const kinds = this.#kindsOf(tool);
    const args = call.args ?? {};
    return {
      args,
      declares: (steps) => kinds.declares(steps),
      subjects: subjectsOf(args, kinds, tool.reads),
      paths: new CallPaths(() => pathBaseOf(tool, call), tool.startsElsewhere),
    };
  }

  #candidates(tool: RuledTool, extra: readonly RuleIndex[]): readonly Candidates[] {
    return extra.length === 0
      ? [this.#own.for(tool)]
      : [...extra.map((index) => index.for(tool)), this.#own.for(tool)];
  }

  #weigh(tool: RuledTool, own: readonly Candidates[], project: Candidates, call: RuledCall): Decision {
    const circumstances = this.#circumstances(tool, call);
    let certainOnly: Circumstances | undefined;
    const winner = winnerOf(own, project, {
      first: (rules, test) => rules.findFirst(circumstances, test),
      certain: (rules, test) => {
        certainOnly ??= { ...circumstances, isCertainOnly: true };
        return rules.findFirst(certainOnly, test);
      },
      uncertainDenies: circumstances.uncertainDenies,
    });
    return decisionOf(winner, call, circumstances);
  }

  #circumstances(tool: RuledTool, call: RuledCall): Circumstances {
    let known: CallFacts | undefined;
    let texts: CallTexts | undefined;
    const facts = () => {
      known ??= this.factsOf(tool, call);
      return known;
    };
    return {
      labels: call.labels ?? NO_LABELS,
      uncertainDenies: new Set(),
      facts,
      texts: () => {
        texts ??= new CallTexts(facts());
        return texts;
      },
    };
  }

  #kindsOf(tool: RuledTool): ArgumentKinds {
    const kinds = this.#kinds.get(tool) ?? new ArgumentKinds({ inputSchema: tool.inputSchema ?? {} });
    this.#kinds.set(tool, kinds);
    return kinds;
  }
}

/** A server with a folder of its own starts there, wherever Toolkeep runs. */
function pathBaseOf({ startsIn }: RuledTool, call: RuledCall): PathBase {
  const base = call.pathBase?.() ?? DEFAULT_BASE;
  if (startsIn === undefined) return base;
  return { ...base, startedIn: posix.resolve(base.startedIn ?? "/", startsIn) };
}

interface MatchFinders {
  readonly first: FindFirst;
  /** Without uncertain denies. */
  readonly certain: FindFirst;
  readonly uncertainDenies: ReadonlySet<CompiledRule>;
}

/** An uncertain deny asks, and loosens nothing: what decides without it counts where that is stricter. */
function winnerOf(
  own: readonly Candidates[],
  project: Candidates,
  { first, certain, uncertainDenies }: MatchFinders,
): CompiledRule | undefined {
  const actionOf = (rule: CompiledRule) => (uncertainDenies.has(rule) ? "ask" : rule.rule.action);
  const winner = weigh(own, project, first, actionOf);
  if (uncertainDenies.size === 0) return winner;
  const withoutUncertain = weigh(own, project, certain);
  const strictness = (rule: CompiledRule | undefined) => STRICTNESS[rule ? actionOf(rule) : NO_RULE.action];
  return strictness(withoutUncertain) > strictness(winner) ? withoutUncertain : winner;
}

const UNCERTAIN = "asks, because the command cannot be read for certain";

function decisionOf(
  winner: CompiledRule | undefined,
  { labels = NO_LABELS }: RuledCall,
  { uncertainDenies }: Circumstances,
): Decision {
  if (!winner) return NO_RULE;
  const { rule, text } = winner;
  const isUncertain = uncertainDenies.has(winner);
  return {
    action: isUncertain ? "ask" : rule.action,
    rule: isUncertain ? `${text}; ${UNCERTAIN}` : text,
    ...(rule.id === undefined ? {} : { ruleId: rule.id }),
    ...(rule.after === undefined ? {} : { labels: [...labels] }),
  };
}
