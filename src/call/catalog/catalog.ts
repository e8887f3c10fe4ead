import type { Caller } from "../../contract/caller.ts";
import type { Events } from "../../contract/events.ts";
import type { Snapshot, Tool, ToolSource } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Clock } from "../../lib/clock.ts";
import { stableJson } from "../../lib/json.ts";
import { NamedLists } from "../../lib/named-lists.ts";
import { ok, type Result } from "../../lib/result.ts";
import { wildcard } from "../../lib/text/wildcard.ts";
import type { Store } from "../../machine/db/store.ts";
import type { GrantRequest } from "../identity/agent-grants.ts";
import type { UnresolvedGrants } from "../identity/contract.ts";
import { findExcessGrants } from "./excess-grants.ts";
import {
  type GrantSet,
  grantSet,
  grantSources,
  isGranted,
  isPattern,
  mayReachServer,
  nameFor,
  permissionOf,
} from "./grants.ts";
import { checkUsable, type Lookup, type Refusal, refuseOutsideTurn, resolveTool } from "./resolve.ts";
import type { ToolboxRecord } from "./toolboxes/contract.ts";
import { Toolboxes } from "./toolboxes/toolboxes.ts";

export interface CatalogDeps {
  readonly sources: readonly ToolSource[];
  readonly store: Pick<Store, "database">;
  /** Whether a rule denies the tool outright, so that the caller must not see it. */
  readonly isHidden: (tool: Tool, caller: Caller) => boolean;
  /** The caller's conversation if rules exist for it alone, because `isHidden` then depends on it; else null. */
  readonly ruledConversation: (caller: Caller) => string | null;
  /** Whether an offer (a resource or prompt) has a permission for which `matches` returns true. */
  readonly isOffered: (matches: (permission: string) => boolean) => boolean;
  /** The names of the agents that have a toolbox. */
  readonly agentsWith: (toolbox: string) => readonly string[];
  readonly events: Events;
  readonly clock: Clock;
}

const MAX_CACHED_VIEWS = 256;

const ALL_GRANTED = { isGranted: () => true };

/** The tools of one grant set, cached until something changes. */
interface View {
  readonly grants: GrantSet;
  visible: readonly Tool[] | undefined;
  /** `visible` before the last change. */
  readonly previous: readonly Tool[] | undefined;
  /** By the names that a server gave, for callers at the server's own address. */
  byOwnName: ReadonlyMap<string, Tool> | undefined;
  /** Tools that were called by their full names: granted, whatever their status. */
  readonly called: Map<string, Tool>;
}

/** The tools that a caller would have. */
export interface GrantPreview {
  /** The same that `visible` returns. */
  readonly tools: readonly Tool[];
  /** Granted, but denied outright by a rule. */
  readonly hidden: readonly Tool[];
  /** The same that `Catalog.namedGrants` returns. */
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
  /** The views before the last change. */
  #previousViews: ReadonlyMap<string, View> = new Map();
  /** The same views by caller: frequent callers keep their `Caller`, and making a key costs more than the rest. */
  #viewsOfCallers = new WeakMap<Caller, View>();
  /** Native tools come first, so that no server can replace them. */
  readonly #tools: NamedLists<Tool>;
  #revision = 0;

  private constructor(deps: CatalogDeps) {
    this.#deps = deps;
    this.#tools = new NamedLists(deps.sources.map((source) => () => source.tools()));
    this.toolboxes = new Toolboxes({
      ...deps,
      tool: (name) => this.#tools.get(name),
      isMatched: (pattern) => this.isMatched(pattern),
      onChange: () => this.invalidate(),
    });
    this.#unsubscribe = deps.sources.map((source) =>
      source.onChange(() => this.#onSourceChange(source.name)),
    );
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

  /** All tools, sorted by name, regardless of who may call them. */
  all(): readonly Tool[] {
    return this.#tools.all;
  }

  /** The tool of exactly this name, regardless of who may call it. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Whether any tool or offer now has a permission that the pattern matches. */
  isMatched(pattern: string): boolean {
    const matches = wildcard(pattern);
    return this.all().some((tool) => matches(permissionOf(tool))) || this.#deps.isOffered(matches);
  }

  /**
   * The tools that the caller sees: granted, in scope, fitting its context; not hidden, disabled or pending. Sorted by
   * the names that the caller knows. Usually the same array while the tools are the same.
   */
  visible(caller: Caller): readonly Tool[] {
    const view = this.#view(caller);
    view.visible ??= reuseIfSame(view.previous, this.#listTools(caller, view.grants));
    return view.visible;
  }

  /** The names that the caller's toolboxes and grants list explicitly, not those that a pattern or `*` adds. */
  namedGrants(caller: Caller): ReadonlySet<string> {
    return this.#view(caller).grants.names;
  }

  /**
   * Whether the caller has been granted anything here, including tools that are not listed now: disabled, or not yet
   * fetched.
   */
  holdsAny(caller: Caller): boolean {
    const { grants } = this.#view(caller);
    const isOwn = (tool: Tool) => isGranted(tool, caller, grants) && !this.isHidden(tool, caller);
    return this.all().some(isOwn) || mayReachServer(caller, this.toolboxes.byName, grants);
  }

  /** Announced tools that would be granted to the caller; for people. */
  planned(caller: Caller): readonly Tool[] {
    const { grants } = this.#view(caller);
    return this.all().filter((tool) => tool.status().kind === "planned" && isGranted(tool, caller, grants));
  }

  /**
   * Tools whose existence the caller may know, granted or not: not hidden by a rule, not only announced, not waiting
   * for a person.
   */
  discoverable(caller: Caller): readonly Tool[] {
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
   * The tool that a caller means: by name, or by its own name where only one tool that the caller sees has it. With a
   * snapshot, a tool of that snapshot as it was then; grants that were withdrawn since no longer count.
   */
  resolve(name: string, caller: Caller, snapshot?: Snapshot): Result<Tool, Refusal> {
    const view = this.#view(caller);
    if (snapshot) return this.#resolveIn(snapshot, name, caller, view);
    const called = view.called.get(name);
    if (called?.status().kind === "active") return ok(called);
    const byName = this.#toolsByName(view);
    const resolved = resolveTool(name, caller, {
      byName,
      visible: () => this.visible(caller),
      isGranted: (tool) => isGranted(tool, caller, view.grants),
    });
    if (resolved.ok && resolved.value === byName.get(name)) view.called.set(name, resolved.value);
    return resolved;
  }

  /** Entries of an agent's toolboxes, grants and pins that name nothing, and patterns that match nothing yet. */
  unresolvedGrants({
    toolboxes,
    grants,
    pins = [],
  }: Pick<Caller, "toolboxes" | "grants" | "pins">): UnresolvedGrants {
    const missingToolboxes = toolboxes.filter((name) => !this.toolboxes.byName.has(name));
    const names = grants.filter((grant) => grant !== "*" && !isPattern(grant));
    return {
      unknown: [
        ...missingToolboxes.map((name) => `toolbox ${name}`),
        ...names.filter((name) => !this.get(name)),
        ...pins.filter((name) => !this.get(name)).map((name) => `pin ${name}`),
      ],
      unmatched: grants.filter((grant) => isPattern(grant) && !this.isMatched(grant)),
    };
  }

  /** Shows the tools that a caller would have with these toolboxes, whether they exist or not. Stores nothing. */
  preview(caller: Caller, toolboxes: ToolboxEntries = this.toolboxes.byName): GrantPreview {
    const grants = grantSet(caller, toolboxes);
    const granted = this.all().filter((tool) => isUsable(tool) && isGranted(tool, caller, grants));
    const tools: Tool[] = [];
    const hidden: Tool[] = [];
    for (const tool of granted) (this.isHidden(tool, caller) ? hidden : tools).push(tool);
    return { tools, hidden, named: grants.names };
  }

  /** Describes, for people, the part of a grant request that the caller does not hold itself. */
  findExcessGrants(caller: Caller, request: GrantRequest): readonly string[] {
    return findExcessGrants(caller, request, {
      toolboxes: this.toolboxes.byName,
      tool: (name) => this.get(name),
    });
  }

  /** Where the caller's right to a tool comes from; for people. */
  grantSources(
    tool: Tool,
    caller: Caller,
    toolboxes: ToolboxEntries = this.toolboxes.byName,
  ): readonly string[] {
    return grantSources(tool, caller, toolboxes);
  }

  /** Drops cached answers: something that they depend on (agents, rules) has changed. */
  invalidate(): void {
    this.#revision += 1;
    if (this.#views.size > 0) this.#previousViews = this.#views;
    this.#views = new BoundedMap(MAX_CACHED_VIEWS);
    this.#viewsOfCallers = new WeakMap();
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change of `revision`; returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#listeners.clear();
  }

  #onSourceChange(source: string): void {
    this.#tools.outdated();
    this.invalidate();
    this.#deps.events.emit("tools.changed", { source });
  }

  #resolveIn(tools: Snapshot, name: string, caller: Caller, view: View): Result<Tool, Refusal> {
    const resolved = resolveTool(name, caller, {
      byName: tools,
      visible: () => [...tools.values()],
      isGranted: (tool) => isGranted(tool, caller, view.grants),
    });
    if (!resolved.ok) return refuseOutsideTurn(name, this.resolve(name, caller), resolved);
    const now = this.get(resolved.value.name);
    // The definition is that of the turn; whether the tool may be used is decided by its present status.
    return now && now.status().kind !== "active" ? checkUsable(now, caller, ALL_GRANTED) : resolved;
  }

  /** Callers with equal keys see the same tools, until something changes. */
  viewKey(caller: Caller): string {
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
    const key = this.viewKey(caller);
    return this.#views.getOrMake(key, () => {
      const grants = grantSet(caller, this.toolboxes.byName);
      const previous = this.#previousViews.get(key)?.visible;
      return { grants, visible: undefined, previous, byOwnName: undefined, called: new Map() };
    });
  }

  #toolsByName(view: View): Lookup["byName"] {
    const { origin } = view.grants;
    if (origin === undefined) return this.#tools;
    if (!view.byOwnName) {
      const tools = this.all().filter((tool) => tool.origin === origin);
      // The full name means a tool everywhere; but if the server gave that name to another tool, the server's choice
      // wins.
      const byFullName = tools.map((tool) => [tool.name, tool] as const);
      view.byOwnName = new Map([...byFullName, ...tools.map((tool) => [tool.ownName, tool] as const)]);
    }
    return view.byOwnName;
  }

  #listTools(caller: Caller, grants: GrantSet): readonly Tool[] {
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

/** Includes tools that are unavailable only for the moment. */
function isUsable(tool: Tool): boolean {
  const { kind } = tool.status();
  return kind === "active" || kind === "unavailable";
}

function reuseIfSame(previous: readonly Tool[] | undefined, now: readonly Tool[]): readonly Tool[] {
  const isSame = previous?.length === now.length && now.every((tool, at) => tool === previous[at]);
  return isSame ? previous : now;
}
