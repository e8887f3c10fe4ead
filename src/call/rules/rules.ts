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
import { type Ground, Paths } from "./paths/place-names.ts";
import type { CallFacts } from "./pattern.ts";
import { subjectsOf } from "./subjects.ts";
import { deniesAll, type First, rulesIn, weigh } from "./weigh.ts";

export type { Action } from "./compiled-rule.ts";

export interface Decision {
  readonly action: Action;
  /** The rule that decided, in words a person can find again. */
  readonly rule: string;
  /** Of a stored rule. */
  readonly ruleId?: string;
  /** What the conversation has come in touch with, where a rule looked at that. */
  readonly labels?: readonly string[];
}

/** A call to decide about; what is absent has nothing in it. */
export interface RuledCall {
  readonly args?: Readonly<Record<string, unknown>>;
  readonly labels?: ReadonlySet<string>;
  readonly ground?: () => Ground;
}

export const NO_RULE: Decision = { action: "allow", rule: "default: allow" };
const NO_LABELS: ReadonlySet<string> = new Set();
const NOWHERE: Ground = { workspace: "/workspace", userHome: "/home/user" };
const NO_MORE: readonly RuleIndex[] = [];
const REACHES_FILES: readonly Capability[] = ["fs.read", "fs.write", "shell"];

/** Decides by rules, compiled once. Pure: the same call always gets the same answer. */
export class Rules {
  readonly all: readonly CompiledRule[];
  readonly #own: RuleIndex;
  readonly #project: RuleIndex;
  /** Every list of every agent asks about every tool; of most, only one answer is possible. */
  readonly #decided = new WeakMap<object, Decision>();
  readonly #hidden = new WeakMap<object, boolean>();
  readonly #kinds = new WeakMap<object, ArgumentKinds>();
  readonly #reading = new WeakMap<object, RuledTool>();
  readonly #userHome: string;

  constructor(rules: readonly Rule[], { userHome = NOWHERE.userHome }: { readonly userHome?: string } = {}) {
    this.#userHome = userHome;
    this.all = rules.map((rule) => compileRule(rule, userHome));
    this.#own = new RuleIndex(this.all.filter(({ rule }) => rule.from !== "project"));
    this.#project = new RuleIndex(this.all.filter(({ rule }) => rule.from === "project"));
  }

  /** Rules that count for some callers only, to be given to `decide` and `isHidden`. */
  more(rules: readonly Rule[]): RuleIndex {
    return new RuleIndex(rules.map((rule) => compileRule(rule, this.#userHome)));
  }

  /** The tools that a rule about this permission is about. */
  about<T extends RuledTool>(permission: string, tools: readonly T[]): readonly T[] {
    const index = this.more([{ permission, action: "ask", from: "user" }]);
    return tools.filter((tool) => index.for(tool).asks);
  }

  decide(tool: RuledTool, call: RuledCall = {}, more: readonly RuleIndex[] = NO_MORE): Decision {
    if (this.#own.size + this.#project.size + more.length === 0) return NO_RULE;
    const own = this.#candidates(tool, more);
    const project = this.#project.for(tool);
    const isConditional = project.isConditional || own.some((each) => each.isConditional);
    if (isConditional || more.length > 0) return this.#weighed(tool, own, project, call);
    const decided = this.#decided.get(tool) ?? this.#weighed(tool, own, project, call);
    this.#decided.set(tool, decided);
    return decided;
  }

  /** No call of the tool whatsoever is anything but denied. */
  isHidden(tool: RuledTool, more: readonly RuleIndex[] = NO_MORE): boolean {
    if (this.#own.size + this.#project.size + more.length === 0) return false;
    const known = more.length === 0 ? this.#hidden.get(tool) : undefined;
    if (known !== undefined) return known;
    const isHidden = deniesAll(this.#candidates(tool, more), this.#project.for(tool));
    if (more.length === 0) this.#hidden.set(tool, isHidden);
    return isHidden;
  }

  /** False: no rule about the tool asks. */
  mayAsk(tool: RuledTool, more: readonly RuleIndex[] = NO_MORE): boolean {
    return this.#project.for(tool).asks || this.#candidates(tool, more).some(({ asks }) => asks);
  }

  /** Every rule about the tool, and whether it matches the call; for explanations. */
  matching(
    tool: RuledTool,
    call: RuledCall,
    more: readonly RuleIndex[] = NO_MORE,
  ): {
    readonly winner: CompiledRule | undefined;
    readonly decision: Decision;
    readonly all: ReadonlyMap<CompiledRule, boolean>;
  } {
    const own = this.#candidates(tool, more);
    const project = this.#project.for(tool);
    const circumstances = this.#circumstances(tool, call);
    const all = new Map<CompiledRule, boolean>();
    for (const each of [...own, project])
      for (const rule of rulesIn(each)) all.set(rule, rule.matches(circumstances));
    const { doubted } = circumstances;
    const first: First = (rules, test) => rules.all.find((rule) => all.get(rule) === true && test(rule));
    const certain: First = (rules, test) => first(rules, (rule) => test(rule) && !doubted.has(rule));
    const winner = winnerOf(own, project, { first, certain, doubted });
    return { winner, decision: decisionOf(winner, call, circumstances), all };
  }

  /** What rules say of files that a call comes to, each as if it stood in the place of those that its arguments name. */
  files(tool: RuledTool, call: RuledCall, more: readonly RuleIndex[], isOperator: boolean): FileRules {
    const reading = this.#readingOf(tool);
    const own = this.#candidates(reading, more);
    const project = this.#project.for(reading);
    const asked = [...this.matching(tool, call, more).all]
      .filter(([{ rule }, matched]) => matched && rule.action === "ask")
      .map(([rule]) => rule);
    const { args, declares } = this.factsOf(tool, call);
    const ground = groundOf(tool, call);
    return new FileDecisions({
      ...{ own, project, args, declares, ground, isOperator },
      answered: new Set(asked),
      labels: call.labels ?? NO_LABELS,
    });
  }

  /** A tool that says nothing of files reads those that it comes to. */
  #readingOf(tool: RuledTool): RuledTool {
    const { capabilities = [] } = tool;
    if (capabilities.some((each) => REACHES_FILES.includes(each))) return tool;
    const reading = this.#reading.get(tool) ?? { ...tool, capabilities: [...capabilities, "fs.read"] };
    this.#reading.set(tool, reading);
    return reading;
  }

  /** What of a call its rules look at. */
  factsOf(tool: RuledTool, call: RuledCall): CallFacts {
    const kinds = this.#kindsOf(tool);
    const args = call.args ?? {};
    return {
      args,
      declares: (steps) => kinds.declares(steps),
      subjects: subjectsOf(args, kinds, tool.reads),
      paths: new Paths(() => groundOf(tool, call), tool.startsElsewhere),
    };
  }

  #candidates(tool: RuledTool, more: readonly RuleIndex[]): readonly Candidates[] {
    return more.length === 0
      ? [this.#own.for(tool)]
      : [...more.map((index) => index.for(tool)), this.#own.for(tool)];
  }

  #weighed(tool: RuledTool, own: readonly Candidates[], project: Candidates, call: RuledCall): Decision {
    const circumstances = this.#circumstances(tool, call);
    let certainly: Circumstances | undefined;
    const winner = winnerOf(own, project, {
      first: (rules, test) => rules.first(circumstances, test),
      certain: (rules, test) => {
        certainly ??= { ...circumstances, isCertainOnly: true };
        return rules.first(certainly, test);
      },
      doubted: circumstances.doubted,
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
      doubted: new Set(),
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

/** A server that has a folder of its own starts there, wherever Toolkeep runs. */
function groundOf({ startsIn }: RuledTool, call: RuledCall): Ground {
  const ground = call.ground?.() ?? NOWHERE;
  if (startsIn === undefined) return ground;
  return { ...ground, startedIn: posix.resolve(ground.startedIn ?? "/", startsIn) };
}

interface Matches {
  readonly first: First;
  /** Without the denies that are in doubt. */
  readonly certain: First;
  readonly doubted: ReadonlySet<CompiledRule>;
}

/** A deny that is in doubt asks, and loosens nothing: what decides without it counts where that is stricter. */
function winnerOf(
  own: readonly Candidates[],
  project: Candidates,
  { first, certain, doubted }: Matches,
): CompiledRule | undefined {
  const actionOf = (rule: CompiledRule) => (doubted.has(rule) ? "ask" : rule.rule.action);
  const winner = weigh(own, project, first, actionOf);
  if (doubted.size === 0) return winner;
  const without = weigh(own, project, certain);
  const strictness = (rule: CompiledRule | undefined) => STRICTNESS[rule ? actionOf(rule) : NO_RULE.action];
  return strictness(without) > strictness(winner) ? without : winner;
}

const IN_DOUBT = "asks, because the command cannot be read for certain";

function decisionOf(
  winner: CompiledRule | undefined,
  { labels = NO_LABELS }: RuledCall,
  { doubted }: Circumstances,
): Decision {
  if (!winner) return NO_RULE;
  const { rule, text } = winner;
  const isDoubted = doubted.has(winner);
  return {
    action: isDoubted ? "ask" : rule.action,
    rule: isDoubted ? `${text}; ${IN_DOUBT}` : text,
    ...(rule.id === undefined ? {} : { ruleId: rule.id }),
    ...(rule.after === undefined ? {} : { labels: [...labels] }),
  };
}
