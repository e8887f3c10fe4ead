import type { Caller } from "../../contract/caller.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { FileRules } from "../../lib/files/file-rules.ts";
import type { Rule, Settings } from "../../machine/config/settings.ts";
import type { RuleIndex } from "./candidates.ts";
import type { RuledTool } from "./compiled-rule.ts";
import { defaultRules } from "./default-rules.ts";
import type { Ground } from "./paths/place-names.ts";
import type { RuleBook } from "./rule-book.ts";
import { type Decision, type RuledCall, Rules } from "./rules.ts";

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

  constructor(deps: DeciderDeps) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#isSandboxed = deps.isShellSandboxed();
    this.#rules = this.#compiled();
    deps.book.onChange(() => this.#renew());
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
    // Whether commands are confined is found out while the hub is running.
    if (this.#deps.isShellSandboxed() !== this.#isSandboxed) this.#renew();
    if (this.#deps.book.isDue) {
      this.#deps.book.expire();
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
    if (!book.hasOwn || operator) return NONE;
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
