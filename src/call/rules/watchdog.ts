import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { type FileRules, LazyFileRules } from "../../lib/files/file-rules.ts";
import type { Rule, Settings } from "../../machine/config/settings.ts";
import type { LabelRecord } from "../../machine/db/tables/trust/label-record.ts";
import type { RuleIndex } from "./candidates.ts";
import type { RuledTool } from "./compiled-rule.ts";
import type { ContentLabels } from "./content-labels.ts";
import { defaultRules } from "./default-rules.ts";
import type { Labels } from "./labels.ts";
import type { Ground } from "./paths/place-names.ts";
import type { RuleBook } from "./rule-book.ts";
import { type Decision, type RuledCall, Rules } from "./rules.ts";
import { settledAction } from "./settled-action.ts";

/** May this call run: the one decision point for list, search and call. */
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
    this.decider = new Decider({ ...deps, labelsOf: (caller) => this.#labels.of(caller) });
  }

  /** A person is nobody they would have to ask; what is denied stays denied. */
  decide(tool: Tool, caller: Caller, args?: Readonly<Record<string, unknown>>): Decision {
    const decision = this.decider.decide(tool, caller, args);
    if (decision.action !== "ask") return decision;
    // Whether an agent is headless is looked at when somebody would be asked, and a call that waits is asked about anew.
    const action = settledAction(decision.action, { operator: caller.operator, headless: false });
    return action === "ask" ? decision : { ...decision, action };
  }

  /** The same for files that the call comes to; worked out when the tool asks for the first. */
  files(tool: Tool, caller: Caller, args: Readonly<Record<string, unknown>>): FileRules {
    return new LazyFileRules(() => this.decider.files(tool, caller, args));
  }

  /** Every call of it is denied, whatever its arguments: then it is not there at all. */
  isHidden(tool: Tool, caller: Caller): boolean {
    return this.decider.isHidden(tool, caller);
  }

  /** The caller's conversation, where there are rules for it alone; else null. */
  ruledConversation(caller: Caller): string | null {
    return this.decider.hasConversationRules(caller) ? caller.conversation : null;
  }

  /** What the caller's conversation has come in touch with. */
  labels(caller: Caller): ReadonlySet<string> {
    return this.#labels.of(caller);
  }

  /** The caller's conversation is about to read what the tool gave; `labels`: those of what it gave this time. */
  read(caller: Caller, tool: Tool, labels?: readonly string[]): void {
    this.#labels.read(caller, tool, labels);
  }

  /** The labels of what agents left behind, by its ids. */
  labelsOfContent(ids: readonly string[]): Promise<readonly string[]> {
    return this.#contentLabels.of(ids);
  }

  /** The caller left these behind. */
  wroteContent(caller: Caller, ids: readonly string[]): Promise<void> {
    return this.#contentLabels.wrote(caller, ids);
  }

  /** Every conversation that has labels, newest first. */
  labelled(): readonly LabelRecord[] {
    return this.#labels.list();
  }

  /** Resolves with the number of conversations that had some. */
  clearLabels(agentId: string, conversation?: string): Promise<number> {
    return this.#labels.clear(agentId, conversation);
  }

  /** False: no call of it is asked about, whatever its arguments. */
  mayAsk(tool: Tool, caller: Caller): boolean {
    return !caller.operator && this.decider.rules.mayAsk(tool, this.decider.more(caller));
  }

  apply(settings: RuleSettings): void {
    this.decider.apply(settings);
  }
}

export type RuleSettings = Pick<Settings, "rules" | "defaultRules" | "trust">;

export interface DeciderDeps {
  readonly settings: RuleSettings;
  readonly book: RuleBook;
  /** The labels of a caller's conversation; from memory. */
  readonly labelsOf: (caller: Caller) => ReadonlySet<string>;
  readonly workspaceOf: (caller: Caller) => string;
  /** What `~` stands for in paths. */
  readonly userHome: string;
  /** The folder that servers start in. */
  readonly startedIn?: string;
  readonly isShellSandboxed: () => boolean;
  /** Calls the listener whenever that may have changed, but for `apply`; absent: it never does. */
  readonly onShellSandbox?: (listener: () => void) => void;
}

/** What would be different. */
export interface Supposed {
  /** In the place of the user's file. */
  readonly user?: readonly Rule[];
  /** Beside all others; of one agent, or of all. */
  readonly add?: readonly { readonly rule: Rule; readonly agentId: string | null }[];
  /** The id of a stored rule that would not be there. */
  readonly without?: string;
}

export interface SupposedRules {
  readonly rules: Rules;
  readonly more: (caller: RuledCaller) => readonly RuleIndex[];
}

export type RuledCaller = Pick<Caller, "agentId" | "conversation" | "operator">;

const NONE: readonly RuleIndex[] = [];
const NO_ARGUMENTS = {};
/** As many agents and conversations with rules of their own have them compiled. */
const MAX_COMPILED = 2_000;

/** The rules in force now, of whatever scope, and what they say about a call. */
export class Decider {
  readonly #deps: DeciderDeps;
  #settings: RuleSettings;
  #isSandboxed: boolean;
  #rules: Rules;
  readonly #more = new BoundedMap<string, RuleIndex>(MAX_COMPILED);
  /** As the book has it: every call would have to ask. */
  #validUntil: number;
  #hasOwn: boolean;

  constructor(deps: DeciderDeps) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#isSandboxed = deps.isShellSandboxed();
    this.#rules = this.#compiled();
    this.#validUntil = deps.book.validUntil;
    this.#hasOwn = deps.book.hasOwn;
    deps.book.onChange(() => this.#renew());
    deps.onShellSandbox?.(() => {
      if (deps.isShellSandboxed() !== this.#isSandboxed) this.#renew();
    });
  }

  decide(tool: RuledTool, caller: Caller, args?: Readonly<Record<string, unknown>>): Decision {
    const call = new CallSeen(this.#deps, caller, args ?? NO_ARGUMENTS);
    return this.rules.decide(tool, call, this.more(caller));
  }

  /** For files that a call comes to. Whoever is not asked about a call is not asked about these either. */
  files(tool: RuledTool, caller: Caller, args: Readonly<Record<string, unknown>>): FileRules {
    const call = new CallSeen(this.#deps, caller, args);
    return this.rules.files(tool, call, this.more(caller), caller.operator);
  }

  isHidden(tool: RuledTool, caller: RuledCaller): boolean {
    return this.rules.isHidden(tool, this.more(caller));
  }

  apply(settings: RuleSettings): void {
    this.#settings = settings;
    this.#renew();
  }

  /** Those that count for everybody. */
  get rules(): Rules {
    const { book } = this.#deps;
    if (this.#validUntil !== Number.POSITIVE_INFINITY && book.clock() >= this.#validUntil) {
      book.expire();
      this.#renew();
    }
    return this.#rules;
  }

  /** As they would be. Nothing changes by it. */
  suppose({ user, add = [], without }: Supposed): SupposedRules {
    const { book } = this.#deps;
    const { rules: now } = this.#settings;
    const written = user ? [...now.filter(({ from }) => from !== "user"), ...user] : now;
    const stays = ({ id }: Rule) => without === undefined || id !== without;
    const addedFor = (agentId: string | null) =>
      add.filter((each) => each.agentId === agentId).map(({ rule }) => rule);
    const rules = this.#compiled(written, [...book.shared.filter(stays), ...addedFor(null)]);
    const compiled = new Map<string, RuleIndex>();
    const index = (key: string, own: () => readonly Rule[]) => {
      const known = compiled.get(key) ?? rules.more(own());
      compiled.set(key, known);
      return known;
    };
    return {
      rules,
      more({ agentId, conversation, operator }) {
        if (operator) return NONE;
        const ofAgent = () => [...book.ofAgent(agentId).filter(stays), ...addedFor(agentId)];
        const ofConversation = () => book.ofConversation(agentId, conversation).filter(stays);
        const own = [index(`${agentId} ${conversation}`, ofConversation), index(agentId, ofAgent)];
        return own.filter(({ size }) => size > 0);
      },
    };
  }

  /** Those that count for this agent, and for this conversation of it. */
  more({ agentId, conversation, operator }: RuledCaller): readonly RuleIndex[] {
    const { book } = this.#deps;
    if (!this.#hasOwn || operator) return NONE;
    const ofAgent = this.#index(agentId, () => book.ofAgent(agentId));
    const ofConversation = this.#index(`${agentId} ${conversation}`, () =>
      book.ofConversation(agentId, conversation),
    );
    return [ofConversation, ofAgent].filter(({ size }) => size > 0);
  }

  hasConversationRules({ agentId, conversation, operator }: RuledCaller): boolean {
    return !operator && this.#deps.book.ofConversation(agentId, conversation).length > 0;
  }

  callOf(caller: Caller, args: Readonly<Record<string, unknown>> | undefined): RuledCall {
    const seen = new CallSeen(this.#deps, caller, args ?? NO_ARGUMENTS);
    return { args: seen.args, labels: seen.labels, ground: () => seen.ground() };
  }

  #index(key: string, rules: () => Parameters<Rules["more"]>[0]): RuleIndex {
    return this.#more.getOrMake(key, () => this.#rules.more(rules()));
  }

  #renew(): void {
    this.#isSandboxed = this.#deps.isShellSandboxed();
    this.#rules = this.#compiled();
    this.#more.clear();
    this.#validUntil = this.#deps.book.validUntil;
    this.#hasOwn = this.#deps.book.hasOwn;
  }

  #compiled(written = this.#settings.rules, stored = this.#deps.book.shared): Rules {
    const { userHome } = this.#deps;
    const defaults = defaultRules(this.#settings, { isSandboxed: this.#isSandboxed });
    return new Rules([...defaults, ...written, ...stored], { userHome });
  }
}

/** What rules may look at; most calls are decided without any of it. */
class CallSeen implements RuledCall {
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

  ground(): Ground {
    const { workspaceOf, userHome, startedIn } = this.#deps;
    return { workspace: workspaceOf(this.#caller), userHome, ...(startedIn && { startedIn }) };
  }
}
