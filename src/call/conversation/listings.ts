import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { CALL_TOOL } from "../catalog/call-tool-tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ToolUsage } from "../search/usage.ts";
import type { Activations } from "./activations.ts";
import { type ListLimits, listLimits } from "./list-limits.ts";
import { type ActivatedTools, type KeptNames, type Listing, makeListing } from "./listing.ts";

export interface ListingsDeps {
  readonly catalog: Pick<Catalog, "visible" | "namedGrants">;
  readonly activations: Activations;
  /** Learns which tools searches led to. */
  readonly usage: Pick<ToolUsage, "hasRecentSearch" | "noteCall">;
  readonly settings: () => Settings;
}

/** How a search changed its caller's list. */
export interface ListUpdate {
  /** Activated tools that had to leave the list for lack of room. */
  readonly retired: readonly Tool[];
  /** Whether any of the found tools is deferred for the caller. */
  readonly areDeferred: boolean;
  /** Whether the caller has `call_tool`. */
  readonly canForward: boolean;
}

interface CachedListing {
  readonly visible: readonly Tool[];
  readonly named: ReadonlySet<string>;
  readonly activated: ActivatedTools;
  readonly settings: Settings;
  readonly listing: Listing;
}

const NONE: ActivatedTools = new Map();
/** Per set of visible tools; conversations differ in what they activated. */
const MAX_SHARED = 100;

/** The tools that each caller's model is shown. Lists, prompts and searches all ask here. */
export class Listings {
  readonly #deps: ListingsDeps;
  #cache = new WeakMap<Caller, CachedListing>();
  /** Callers that see the same tools and activated the same ones share a list. */
  readonly #shared = new WeakMap<readonly Tool[], BoundedMap<string, Listing>>();

  readonly #listedNames = new WeakMap<Listing, ReadonlySet<string>>();

  constructor(deps: ListingsDeps) {
    this.#deps = deps;
    // A cached list may lack what its conversation has activated since.
    deps.activations.onChange(() => {
      this.#cache = new WeakMap();
    });
  }

  /** Synchronous where the conversation is cached; the same object while nothing about it changed. */
  for(caller: Caller): Listing | Promise<Listing> {
    const activated = this.#activatedOf(caller);
    return activated instanceof Promise
      ? activated.then((loaded) => this.#listing(caller, loaded))
      : this.#listing(caller, activated);
  }

  /** Adds the tools that a search found to the list. */
  async addFound(caller: Caller, tools: readonly Tool[]): Promise<ListUpdate> {
    const before = await this.for(caller);
    const wanted = new Set(tools);
    const canForward = before.tools.some(({ name }) => name === CALL_TOOL);
    if (!before.deferred.some((tool) => wanted.has(tool)))
      return { retired: [], areDeferred: false, canForward };
    const { activations } = this.#deps;
    const added = await activations.activate(caller, namesOf(tools.filter((tool) => !tool.floor)));
    const after = await this.for(caller);
    // A tool that had left the list is back.
    if (added.length === 0 && after !== before) activations.notify();
    return { retired: after.retired, areDeferred: true, canForward };
  }

  /**
   * Notes a call: a deferred tool that was called by name is listed from then on. Must stay cheap: every call comes
   * here.
   */
  noteUse(caller: Caller, tool: Tool): void {
    const { usage } = this.#deps;
    if (usage.hasRecentSearch) usage.noteCall(caller, tool.name);
    if (tool.floor || caller.operator) return;
    const cached = this.#cache.get(caller);
    if (cached && this.#isWhole(caller, cached)) return;
    if (cached && canReturnByUse(tool, cached)) return void this.addFound(caller, [tool]);
    if (this.#deps.activations.noteUse(caller, tool.name)) return;
    const listing = this.for(caller);
    // Nobody has asked for this conversation's list yet, and nobody has to wait for it.
    if (listing instanceof Promise) void listing.then((loaded) => this.#activate(caller, tool, loaded));
    else this.#activate(caller, tool, listing);
  }

  /** Calls `listener` after a list has grown; returns the function that unsubscribes it. */
  onChange(listener: () => void): () => void {
    return this.#deps.activations.onChange(listener);
  }

  /** Nothing is deferred and nothing was activated, so the list stays the same whatever is called. */
  #isWhole(caller: Caller, { visible, named, activated, settings, listing }: CachedListing): boolean {
    const { catalog } = this.#deps;
    return (
      listing.deferred.length === 0 &&
      activated.size === 0 &&
      visible === catalog.visible(caller) &&
      named === catalog.namedGrants(caller) &&
      settings === this.#deps.settings()
    );
  }

  #activate(caller: Caller, { name }: Tool, listing: Listing): void {
    if (listing.deferred.length === 0) return;
    const names = this.#listedNames.get(listing) ?? new Set(namesOf(listing.tools));
    this.#listedNames.set(listing, names);
    if (!names.has(name)) void this.#deps.activations.activate(caller, [name]);
  }

  /** A person's list is complete. */
  #activatedOf(caller: Caller): ActivatedTools | Promise<ActivatedTools> {
    return caller.operator ? NONE : this.#deps.activations.get(caller);
  }

  #listing(caller: Caller, activated: ActivatedTools): Listing {
    const settings = this.#deps.settings();
    const visible = this.#deps.catalog.visible(caller);
    const named = this.#deps.catalog.namedGrants(caller);
    const cached = this.#cache.get(caller);
    const isSame = cached?.visible === visible && cached.named === named && cached.activated === activated;
    if (isSame && cached.settings === settings) return cached.listing;
    const limits: ListLimits = caller.operator
      ? { mode: false, threshold: 0, eager: [] }
      : listLimits(caller, settings);
    const kept = { named, pins: caller.pins ?? [] };
    const listing = this.#sharedListing(visible, activated, kept, limits);
    this.#cache.set(caller, { visible, named, activated, settings, listing });
    return listing;
  }

  #sharedListing(
    visible: readonly Tool[],
    activated: ActivatedTools,
    kept: KeptNames,
    limits: ListLimits,
  ): Listing {
    const shared = this.#shared.get(visible) ?? new BoundedMap<string, Listing>(MAX_SHARED);
    this.#shared.set(visible, shared);
    const dependsOnUse = limits.maxTools !== undefined;
    const key = JSON.stringify([
      limits,
      [...kept.named],
      kept.pins,
      dependsOnUse ? [...activated] : [...activated.keys()].sort(),
    ]);
    return shared.getOrMake(key, () => makeListing(visible, activated, kept, limits));
  }
}

/** Whether another activated tool can make room for this one, which had to leave. */
function canReturnByUse({ name }: Tool, { activated, listing }: CachedListing): boolean {
  const { retired } = listing;
  return activated.size > retired.length && retired.some((tool) => tool.name === name);
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}
