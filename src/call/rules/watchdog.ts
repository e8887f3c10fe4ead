import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { type FileRules, LazyFileRules } from "../../lib/files/file-rules.ts";
import type { Rule, Settings } from "../../machine/config/settings.ts";
import type { RuleIndex } from "./candidates.ts";
import type { RuledTool } from "./compiled-rule.ts";
import type { ContentLabels } from "./content-labels.ts";
import type { LabelRecord } from "./contract.ts";
import { defaultRules } from "./default-rules.ts";
import { effectiveAction } from "./effective-action.ts";
import type { Labels } from "./labels.ts";
import type { PathBase } from "./paths/path-readings.ts";
import type { RuleBook } from "./rule-book.ts";
import { type Decision, type RuledCall, Rules } from "./rules.ts";

/** Whether a call may run: the one decision point for list, search and call. */
export class Watchdog {
  /** The rules themselves, for explanations. */
  readonly decider: Decider;
  readonly #labels: Labels;
  readonly #contentLabels: ContentLabels;

  constructor(
    deps: Omit<DeciderDeps, "labelsOf"> & { readonly labels: Labels; readonly contentLabels: ContentLabels },
  ) {
    this.#labels = deps.labels;
    this.#contentLabels = deps.contentLabels;
    this.decider = new Decider({ ...deps, labelsOf: (caller) => this.#labels.forCaller(caller) });
  }

  /** A person need not approve their own calls; denied calls stay denied. */
  decide(tool: Tool, caller: Caller, args?: Readonly<Record<string, unknown>>): Decision {
    const decision = this.decider.decide(tool, caller, args);
    if (decision.action !== "ask") return decision;
    // Whether an agent is headless is checked when somebody would be asked, because a waiting call is decided again.
    const action = effectiveAction(decision.action, { operator: caller.operator, headless: false });
    return action === "ask" ? decision : { ...decision, action };
  }

  /** The same for files that the call comes across; computed when the tool first asks. */
  files(tool: Tool, caller: Caller, args: Readonly<Record<string, unknown>>): FileRules {
    return new LazyFileRules(() => this.decider.files(tool, caller, args));
  }

  /** Whether every call of the tool is denied, whatever its arguments; such a tool is not shown at all. */
  isHidden(tool: Tool, caller: Caller): boolean {
    return this.decider.isHidden(tool, caller);
  }

  /** The caller's conversation if rules exist for it alone; else null. */
  ruledConversation(caller: Caller): string | null {
    return this.decider.hasConversationRules(caller) ? caller.conversation : null;
  }

  /** What the caller's conversation has come in touch with. */
  labels(caller: Caller): ReadonlySet<string> {
    return this.#labels.forCaller(caller);
  }

  /** Notes that the caller's conversation is about to read a tool's result; `labels`: those of this result. */
  noteRead(caller: Caller, tool: Tool, labels?: readonly string[]): void {
    this.#labels.noteRead(caller, tool, labels);
  }

  /** The labels of content that agents left behind, by its ids. */
  labelsOfContent(ids: readonly string[]): Promise<readonly string[]> {
    return this.#contentLabels.find(ids);
  }

  /** Gives the caller's labels to content that it wrote. */
  labelContent(caller: Caller, ids: readonly string[]): Promise<void> {
    return this.#contentLabels.labelWritten(caller, ids);
  }

  /** Every conversation that has labels, newest first. */
  labelledConversations(): readonly LabelRecord[] {
    return this.#labels.list();
  }

  /** Resolves with the number of conversations that had labels. */
  clearLabels(agentId: string, conversation?: string): Promise<number> {
    return this.#labels.clear(agentId, conversation);
  }

  /** False: no call of the tool asks, whatever its arguments. */
  mayAsk(tool: Tool, caller: Caller): boolean {
    return !caller.operator && this.decider.rules.mayAsk(tool, this.decider.extraRulesFor(caller));
  }

  apply(settings: RuleSettings): void {
    this.decider.apply(settings);
  }
}

export type RuleSettings = Pick<Settings, "rules" | "defaultRules" | "trust">;

export interface DeciderDeps {
  readonly settings: RuleSettings;
  readonly book: RuleBook;
  /** The labels of a caller's conversation, from memory. */
  readonly labelsOf: (caller: Caller) => ReadonlySet<string>;
  readonly workspaceOf: (caller: Caller) => string;
  /** What `~` stands for in paths. */
  readonly userHome: string;
  /** The folder that servers start in. */
  readonly startedIn?: string;
  readonly isShellSandboxed: () => boolean;
  /** Calls the listener whenever that may have changed, except through `apply`; absent: it never does. */
  readonly onShellSandbox?: (listener: () => void) => void;
}

/** Hypothetical changes to the rules. */
export interface RuleChanges {
  /** Replaces the user's file. */
  readonly user?: readonly Rule[];
  /** In addition to all others; for one agent, or for all. */
  readonly add?: readonly { readonly rule: Rule; readonly agentId: string | null }[];
  /** The id of a stored rule to leave out. */
  readonly without?: string;
}

export interface HypotheticalRules {
  readonly rules: Rules;
  readonly extraRulesFor: (caller: RuledCaller) => readonly RuleIndex[];
}

export type RuledCaller = Pick<Caller, "agentId" | "conversation" | "operator">;

const NONE: readonly RuleIndex[] = [];
const NO_ARGUMENTS = {};
/** How many agents and conversations keep their own rules compiled. */
const MAX_COMPILED = 2_000;

/** The rules in force, of every scope, and their decisions. */
export class Decider {
  readonly #deps: DeciderDeps;
  #settings: RuleSettings;
  #isSandboxed: boolean;
  #rules: Rules;
  readonly #extra = new BoundedMap<string, RuleIndex>(MAX_COMPILED);
  /** Copied from the book: reading it at every call would cost too much. */
  #validUntil: number;
  #hasScopedRules: boolean;

  constructor(deps: DeciderDeps) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#isSandboxed = deps.isShellSandboxed();
    this.#rules = this.#compile();
    this.#validUntil = deps.book.validUntil;
    this.#hasScopedRules = deps.book.hasScopedRules;
    deps.book.onChange(() => this.#recompile());
    deps.onShellSandbox?.(() => {
      if (deps.isShellSandboxed() !== this.#isSandboxed) this.#recompile();
    });
  }

  decide(tool: RuledTool, caller: Caller, args?: Readonly<Record<string, unknown>>): Decision {
    const call = new LazyCall(this.#deps, caller, args ?? NO_ARGUMENTS);
    return this.rules.decide(tool, call, this.extraRulesFor(caller));
  }

  /** For files that a call comes across. Where a call needs no approval, neither do its files. */
  files(tool: RuledTool, caller: Caller, args: Readonly<Record<string, unknown>>): FileRules {
    const call = new LazyCall(this.#deps, caller, args);
    return this.rules.files(tool, call, this.extraRulesFor(caller), caller.operator);
  }

  isHidden(tool: RuledTool, caller: RuledCaller): boolean {
    return this.rules.isHidden(tool, this.extraRulesFor(caller));
  }

  apply(settings: RuleSettings): void {
    this.#settings = settings;
    this.#recompile();
  }

  /** The rules for everybody. */
  get rules(): Rules {
    const { book } = this.#deps;
    if (this.#validUntil !== Number.POSITIVE_INFINITY && book.clock() >= this.#validUntil) {
      book.expire();
      this.#recompile();
    }
    return this.#rules;
  }

  /** The rules as they would be; nothing is changed. */
  suppose({ user, add = [], without }: RuleChanges): HypotheticalRules {
    const { book } = this.#deps;
    const { rules: current } = this.#settings;
    const written = user ? [...current.filter(({ from }) => from !== "user"), ...user] : current;
    const isKept = ({ id }: Rule) => without === undefined || id !== without;
    const addedFor = (agentId: string | null) =>
      add.filter((each) => each.agentId === agentId).map(({ rule }) => rule);
    const rules = this.#compile(written, [...book.shared.filter(isKept), ...addedFor(null)]);
    const compiled = new Map<string, RuleIndex>();
    const indexFor = (key: string, own: () => readonly Rule[]) => {
      const known = compiled.get(key) ?? rules.compileExtra(own());
      compiled.set(key, known);
      return known;
    };
    return {
      rules,
      extraRulesFor({ agentId, conversation, operator }) {
        if (operator) return NONE;
        const ofAgent = () => [...book.ofAgent(agentId).filter(isKept), ...addedFor(agentId)];
        const ofConversation = () => book.ofConversation(agentId, conversation).filter(isKept);
        const own = [indexFor(`${agentId} ${conversation}`, ofConversation), indexFor(agentId, ofAgent)];
        return own.filter(({ size }) => size > 0);
      },
    };
  }

  /** The rules for this agent and for its conversation. */
  extraRulesFor({ agentId, conversation, operator }: RuledCaller): readonly RuleIndex[] {
    const { book } = this.#deps;
    if (!this.#hasScopedRules || operator) return NONE;
    const ofAgent = this.#extraIndex(agentId, () => book.ofAgent(agentId));
    const ofConversation = this.#extraIndex(`${agentId} ${conversation}`, () =>
      book.ofConversation(agentId, conversation),
    );
    return [ofConversation, ofAgent].filter(({ size }) => size > 0);
  }

  hasConversationRules({ agentId, conversation, operator }: RuledCaller): boolean {
    return !operator && this.#deps.book.ofConversation(agentId, conversation).length > 0;
  }

  callOf(caller: Caller, args: Readonly<Record<string, unknown>> | undefined): RuledCall {
    const lazy = new LazyCall(this.#deps, caller, args ?? NO_ARGUMENTS);
    return { args: lazy.args, labels: lazy.labels, pathBase: () => lazy.pathBase() };
  }

  #extraIndex(key: string, rules: () => Parameters<Rules["compileExtra"]>[0]): RuleIndex {
    return this.#extra.getOrMake(key, () => this.#rules.compileExtra(rules()));
  }

  #recompile(): void {
    this.#isSandboxed = this.#deps.isShellSandboxed();
    this.#rules = this.#compile();
    this.#extra.clear();
    this.#validUntil = this.#deps.book.validUntil;
    this.#hasScopedRules = this.#deps.book.hasScopedRules;
  }

  #compile(written = this.#settings.rules, stored = this.#deps.book.shared): Rules {
    const { userHome } = this.#deps;
    const defaults = defaultRules(this.#settings, { isSandboxed: this.#isSandboxed });
    return new Rules([...defaults, ...written, ...stored], { userHome });
  }
}

/** What rules may look at; most calls are decided without any of it. */
class LazyCall implements RuledCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly #deps: DeciderDeps;
  readonly #caller: Caller;

  constructor(deps: DeciderDeps, caller: Caller, args: Readonly<Record<string, unknown>>) {
    this.#deps = deps;
    this.#caller = caller;
    this.args = args;
  }

  get labels(): ReadonlySet<string> {
    return this.#deps.labelsOf(this.#caller);
  }

  pathBase(): PathBase {
    const { workspaceOf, userHome, startedIn } = this.#deps;
    return { workspace: workspaceOf(this.#caller), userHome, ...(startedIn && { startedIn }) };
  }
}
