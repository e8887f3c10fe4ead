import type { Caller } from "../../contract/caller.ts";
import type { Events } from "../../contract/events.ts";
import type { Snapshot, Tool, ToolSource } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { stableJson } from "../../lib/json.ts";
import { NamedLists } from "../../lib/named-lists.ts";
import { ok, type Result } from "../../lib/result.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { ToolboxRecord, ToolboxStore } from "../../machine/db/store.ts";
import type { Gift } from "../identity/gift.ts";
import { beyond } from "./beyond.ts";
import {
  type GrantSet,
  grantedBy,
  grantSet,
  isGranted,
  isPattern,
  nameFor,
  permissionOf,
  reaches,
} from "./grants.ts";
import { type Lookup, notInTurn, type Refused, resolveTool, usable } from "./resolve.ts";
import { Toolboxes } from "./toolboxes.ts";

export interface CatalogDeps {
  readonly sources: readonly ToolSource[];
  readonly store: { readonly toolboxes: ToolboxStore };
  /** Whether a rule denies the tool outright, so that the caller should not even see it. */
  readonly isHidden: (tool: Tool, caller: Caller) => boolean;
  /** The caller's conversation, where there are rules for it alone, on which `isHidden` depends; else null. */
  readonly ruledConversation: (caller: Caller) => string | null;
  /** Whether something beside tools has a permission that `matches` says yes to. */
  readonly isOffered: (matches: (permission: string) => boolean) => boolean;
  /** The names of the agents that have a toolbox. */
  readonly agentsWith: (toolbox: string) => readonly string[];
  readonly events: Events;
  readonly clock: Clock;
}

const MAX_CACHED_VIEWS = 256;

const ALL_GRANTED = { isGranted: () => true };

/** What one grant set comes to, until something changes. */
interface View {
  readonly grants: GrantSet;
  visible: readonly Tool[] | undefined;
  /** What `visible` was before the last change. */
  readonly before: readonly Tool[] | undefined;
  /** By the names that a server gave, at its own address. */
  byOwnName: ReadonlyMap<string, Tool> | undefined;
  /** Tools that were called by their full names: granted, whatever their status. */
  readonly called: Map<string, Tool>;
}

/** What is kept of an agent's grants although nothing answers to it now. */
export interface Unanswered {
  readonly unknown: readonly string[];
  readonly unmatched: readonly string[];
}

/** What a caller comes to have. */
export interface Foreseen {
  /** As `visible` has it. */
  readonly tools: readonly Tool[];
  /** Granted, and denied outright by a rule. */
  readonly hidden: readonly Tool[];
  /** As `Catalog.named` has it. */
  readonly named: ReadonlySet<string>;
}

/** The entries of toolboxes by name. */
export type ToolboxEntries = ReadonlyMap<string, Pick<ToolboxRecord, "tools">>;

/** Every tool by name, and who may see which. List, search and call all ask here. */
export class Catalog {
  readonly toolboxes: Toolboxes;
  readonly #deps: CatalogDeps;
  readonly #unsubscribe: (() => void)[];
  readonly #listeners = new Set<() => void>();
  #views = new BoundedMap<string, View>(MAX_CACHED_VIEWS);
  /** Those of before the last change. */
  #formerViews: ReadonlyMap<string, View> = new Map();
  /** The same by caller: whoever calls often keeps its `Caller`, and making a key costs more than the rest. */
  #viewsOfCallers = new WeakMap<Caller, View>();
  /** Native tools come first, so no server can put itself in their place. */
  readonly #tools: NamedLists<Tool>;
  #revision = 0;

  private constructor(deps: CatalogDeps) {
    this.#deps = deps;
    this.#tools = new NamedLists(deps.sources.map((source) => () => source.tools()));
    this.toolboxes = new Toolboxes({
      ...deps,
      tool: (name) => this.#tools.get(name),
      isMatched: (pattern) => this.isMatched(pattern),
      onChange: () => this.changed(),
    });
    this.#unsubscribe = deps.sources.map((source) => source.onChange(() => this.#outdated(source.name)));
  }

  static async open(deps: CatalogDeps): Promise<Catalog> {
    const catalog = new Catalog(deps);
    await catalog.toolboxes.reload();
    return catalog;
  }

  /** Changes whenever an answer of this catalogue may have changed. */
  get revision(): number {
    return this.#revision;
  }

  /** All tools, sorted by name, whoever may call them. */
  all(): readonly Tool[] {
    return this.#tools.all;
  }

  /** The tool of exactly this name, whoever may call it. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Whether anything of now has a permission that the pattern matches. */
  isMatched(pattern: string): boolean {
    const matches = wildcard(pattern);
    return this.all().some((tool) => matches(permissionOf(tool))) || this.#deps.isOffered(matches);
  }

  /**
   * What the caller sees: granted, in scope, fitting its context; not hidden, disabled or pending. Sorted by the
   * names that the caller knows. Mostly the same array as long as it is the same tools.
   */
  visible(caller: Caller): readonly Tool[] {
    const view = this.#view(caller);
    view.visible ??= unlessSame(view.before, this.#listed(caller, view.grants));
    return view.visible;
  }

  /** The names that the caller's toolboxes and grants list, in contrast to what a pattern or `*` brings. */
  named(caller: Caller): ReadonlySet<string> {
    return this.#view(caller).grants.names;
  }

  /** Whether the caller has been given anything here, also what is not listed now: disabled, or yet to be learned. */
  holdsAny(caller: Caller): boolean {
    const { grants } = this.#view(caller);
    const isOwn = (tool: Tool) => isGranted(tool, caller, grants) && !this.isHidden(tool, caller);
    return this.all().some(isOwn) || reaches(caller, this.toolboxes.byName, grants);
  }

  /** What is only announced and would be granted to the caller, for people. */
  planned(caller: Caller): readonly Tool[] {
    const { grants } = this.#view(caller);
    return this.all().filter((tool) => tool.status().kind === "planned" && isGranted(tool, caller, grants));
  }

  /** What there is for whoever may be told of it, granted or not: neither hidden by a rule, only announced nor waiting for a person. */
  unhidden(caller: Caller): readonly Tool[] {
    return this.all().filter((tool) => {
      const { kind } = tool.status();
      return kind !== "planned" && kind !== "pending_approval" && !this.isHidden(tool, caller);
    });
  }

  /** Whether a rule denies the tool outright. */
  isHidden(tool: Tool, caller: Caller): boolean {
    return this.#deps.isHidden(tool, caller);
  }

  /**
   * The tool a caller means: by name, or by its own name where only one tool the caller sees has it. With a snapshot, one of
   * those that were there when it was made, as it was then; what has been taken away since does not count any more.
   */
  resolve(name: string, caller: Caller, snapshot?: Snapshot): Result<Tool, Refused> {
    const view = this.#view(caller);
    if (snapshot) return this.#resolveIn(snapshot, name, caller, view);
    const called = view.called.get(name);
    if (called?.status().kind === "active") return ok(called);
    const byName = this.#named(view);
    const resolved = resolveTool(name, caller, {
      byName,
      visible: () => this.visible(caller),
      isGranted: (tool) => isGranted(tool, caller, view.grants),
    });
    if (resolved.ok && resolved.value === byName.get(name)) view.called.set(name, resolved.value);
    return resolved;
  }

  /** What of an agent's toolboxes, grants and pins is no name of anything, and which patterns match nothing yet. */
  unanswered({ toolboxes, grants, pins = [] }: Pick<Caller, "toolboxes" | "grants" | "pins">): Unanswered {
    const ghosts = toolboxes.filter((name) => !this.toolboxes.byName.has(name));
    const names = grants.filter((grant) => grant !== "*" && !isPattern(grant));
    return {
      unknown: [
        ...ghosts.map((name) => `toolbox ${name}`),
        ...names.filter((name) => !this.get(name)),
        ...pins.filter((name) => !this.get(name)).map((name) => `pin ${name}`),
      ],
      unmatched: grants.filter((grant) => isPattern(grant) && !this.isMatched(grant)),
    };
  }

  /** What a caller has with these toolboxes, whether there are such or not. Nothing of it is kept. */
  foresee(caller: Caller, toolboxes: ToolboxEntries = this.toolboxes.byName): Foreseen {
    const grants = grantSet(caller, toolboxes);
    const granted = this.all().filter((tool) => isUsable(tool) && isGranted(tool, caller, grants));
    const tools: Tool[] = [];
    const hidden: Tool[] = [];
    for (const tool of granted) (this.isHidden(tool, caller) ? hidden : tools).push(tool);
    return { tools, hidden, named: grants.names };
  }

  /** What of a gift the caller does not have itself, for people. */
  beyond(caller: Caller, gift: Gift): readonly string[] {
    return beyond(caller, gift, { toolboxes: this.toolboxes.byName, tool: (name) => this.get(name) });
  }

  /** Where the caller's right to a tool comes from, for people. */
  grantedBy(
    tool: Tool,
    caller: Caller,
    toolboxes: ToolboxEntries = this.toolboxes.byName,
  ): readonly string[] {
    return grantedBy(tool, caller, toolboxes);
  }

  /** Tells the catalogue that something its answers depend on (agents, rules) is different now. */
  changed(): void {
    this.#revision += 1;
    if (this.#views.size > 0) this.#formerViews = this.#views;
    this.#views = new BoundedMap(MAX_CACHED_VIEWS);
    this.#viewsOfCallers = new WeakMap();
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after `revision` changed; returns the function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#listeners.clear();
  }

  #outdated(source: string): void {
    this.#tools.outdated();
    this.changed();
    this.#deps.events.emit("tools.changed", { source });
  }

  #resolveIn(tools: Snapshot, name: string, caller: Caller, view: View): Result<Tool, Refused> {
    const resolved = resolveTool(name, caller, {
      byName: tools,
      visible: () => [...tools.values()],
      isGranted: (tool) => isGranted(tool, caller, view.grants),
    });
    if (!resolved.ok) return notInTurn(name, this.resolve(name, caller), resolved);
    const now = this.get(resolved.value.name);
    // Its definition is that of the turn; whether it may be used at all is a matter of now.
    return now && now.status().kind !== "active" ? usable(now, caller, ALL_GRANTED) : resolved;
  }

  /** Callers with equal keys see the same, until something changes. */
  sightKey(caller: Caller): string {
    const { agentId, context, toolboxes, grants, scopes, operator, narrowing, withheld } = caller;
    return stableJson([
      agentId,
      context,
      toolboxes,
      grants,
      scopes,
      operator,
      narrowing ?? null,
      withheld ?? null,
      this.#deps.ruledConversation(caller),
    ]);
  }

  #view(caller: Caller): View {
    const known = this.#viewsOfCallers.get(caller) ?? this.#viewByGrants(caller);
    this.#viewsOfCallers.set(caller, known);
    return known;
  }

  #viewByGrants(caller: Caller): View {
    const key = this.sightKey(caller);
    return this.#views.getOrMake(key, () => {
      const grants = grantSet(caller, this.toolboxes.byName);
      const before = this.#formerViews.get(key)?.visible;
      return { grants, visible: undefined, before, byOwnName: undefined, called: new Map() };
    });
  }

  #named(view: View): Lookup["byName"] {
    const { origin } = view.grants;
    if (origin === undefined) return this.#tools;
    if (!view.byOwnName) {
      const tools = this.all().filter((tool) => tool.origin === origin);
      // Its full name means a tool everywhere; where the server gave it to another, the server's word counts.
      const full = tools.map((tool) => [tool.name, tool] as const);
      view.byOwnName = new Map([...full, ...tools.map((tool) => [tool.ownName, tool] as const)]);
    }
    return view.byOwnName;
  }

  #listed(caller: Caller, grants: GrantSet): readonly Tool[] {
    const listed = this.all().filter(
      (tool) => isGranted(tool, caller, grants) && this.#isListed(tool, caller),
    );
    if (grants.origin === undefined) return listed;
    return listed.sort((a, b) => (nameFor(a, caller) < nameFor(b, caller) ? -1 : 1));
  }

  #isListed(tool: Tool, caller: Caller): boolean {
    return isUsable(tool) && !this.isHidden(tool, caller);
  }
}

/** Also what is only away for now. */
function isUsable(tool: Tool): boolean {
  const { kind } = tool.status();
  return kind === "active" || kind === "unavailable";
}

function unlessSame(before: readonly Tool[] | undefined, now: readonly Tool[]): readonly Tool[] {
  const isSame = before?.length === now.length && now.every((tool, at) => tool === before[at]);
  return isSame ? before : now;
}
