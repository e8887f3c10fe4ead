import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { CALL_TOOL } from "../catalog/call-tool-tool.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { ToolUsage } from "../search/usage.ts";
import type { Activations } from "./activations.ts";
import { type ListLimits, listLimits } from "./list-limits.ts";
import { type Activated, type Keeping, type Listing, listingOf } from "./listing.ts";

export interface ListingsDeps {
  readonly catalog: Pick<Catalog, "visible" | "namedGrants">;
  readonly activations: Activations;
  /** Learns from searches which tools they led to. */
  readonly usage: Pick<ToolUsage, "isWaiting" | "called">;
  readonly settings: () => Settings;
}

/** What a search has added to the list of its caller. */
export interface Found {
  /** Whether the list had to leave some of what was found to `tool_search` all the same. */
  readonly retired: readonly Tool[];
  /** Whether any of them is deferred for the caller at all. */
  readonly areDeferred: boolean;
  /** Whether the caller has `call_tool`. */
  readonly canForward: boolean;
}

interface Known {
  readonly visible: readonly Tool[];
  readonly named: ReadonlySet<string>;
  readonly activated: Activated;
  readonly settings: Settings;
  readonly listing: Listing;
}

const NONE: Activated = new Map();
/** Of one set of visible tools; conversations differ in what they activated. */
const MAX_SHARED = 100;

/** What each caller's model is shown: lists, prompts and searches all ask here. */
export class Listings {
  readonly #deps: ListingsDeps;
  #known = new WeakMap<Caller, Known>();
  /** Callers that see the same tools and activated the same have the same list. */
  readonly #shared = new WeakMap<readonly Tool[], BoundedMap<string, Listing>>();

  /** The names in a list. */
  readonly #listed = new WeakMap<Listing, ReadonlySet<string>>();

  constructor(deps: ListingsDeps) {
    this.#deps = deps;
    // What is known of a conversation may no longer be all that it has activated.
    deps.activations.onChange(() => {
      this.#known = new WeakMap();
    });
  }

  /** At once where the conversation is known already; the same object as long as nothing about it changed. */
  for(caller: Caller): Listing | Promise<Listing> {
    const activated = this.#activated(caller);
    return activated instanceof Promise
      ? activated.then((then) => this.#listing(caller, then))
      : this.#listing(caller, activated);
  }

  /** Takes what a search found into the list. */
  async found(caller: Caller, tools: readonly Tool[]): Promise<Found> {
    const before = await this.for(caller);
    const sought = new Set(tools);
    const canForward = before.tools.some(({ name }) => name === CALL_TOOL);
    if (!before.deferred.some((tool) => sought.has(tool)))
      return { retired: [], areDeferred: false, canForward };
    const { activations } = this.#deps;
    const added = await activations.activate(caller, namesOf(tools.filter((tool) => !tool.floor)));
    const after = await this.for(caller);
    // One that had to leave the list is in it again.
    if (added.length === 0 && after !== before) activations.tell();
    return { retired: after.retired, areDeferred: true, canForward };
  }

  /** Notes a call: a deferred tool that was called by its name is in the list from then on. Costs next to nothing. */
  noteUse(caller: Caller, tool: Tool): void {
    const { usage } = this.#deps;
    if (usage.isWaiting) usage.called(caller, tool.name);
    if (tool.floor || caller.operator) return;
    const known = this.#known.get(caller);
    if (known && this.#isWhole(caller, known)) return;
    if (known && isBackByUse(tool, known)) return void this.found(caller, [tool]);
    if (this.#deps.activations.used(caller, tool.name)) return;
    const listing = this.for(caller);
    // Nobody has asked for a list of this conversation yet, and nobody has to wait for it.
    if (listing instanceof Promise) void listing.then((then) => this.#activate(caller, tool, then));
    else this.#activate(caller, tool, listing);
  }

  /** Calls `listener` after a list has become longer; returns the function that stops it. */
  onChange(listener: () => void): () => void {
    return this.#deps.activations.onChange(listener);
  }

  /** Nothing is deferred, and nothing was activated: whatever is called, the list stays as it is. */
  #isWhole(caller: Caller, { visible, named, activated, settings, listing }: Known): boolean {
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
    const names = this.#listed.get(listing) ?? new Set(namesOf(listing.tools));
    this.#listed.set(listing, names);
    if (!names.has(name)) void this.#deps.activations.activate(caller, [name]);
  }

  /** A person's lists are whole. */
  #activated(caller: Caller): Activated | Promise<Activated> {
    return caller.operator ? NONE : this.#deps.activations.of(caller);
  }

  #listing(caller: Caller, activated: Activated): Listing {
    const settings = this.#deps.settings();
    const visible = this.#deps.catalog.visible(caller);
    const named = this.#deps.catalog.namedGrants(caller);
    const known = this.#known.get(caller);
    const isSame = known?.visible === visible && known.named === named && known.activated === activated;
    if (isSame && known.settings === settings) return known.listing;
    const limits: ListLimits = caller.operator
      ? { mode: false, threshold: 0, eager: [] }
      : listLimits(caller, settings);
    const keeping = { named, pins: caller.pins ?? [] };
    const listing = this.#sharedListing(visible, activated, keeping, limits);
    this.#known.set(caller, { visible, named, activated, settings, listing });
    return listing;
  }

  #sharedListing(
    visible: readonly Tool[],
    activated: Activated,
    keeping: Keeping,
    limits: ListLimits,
  ): Listing {
    const shared = this.#shared.get(visible) ?? new BoundedMap<string, Listing>(MAX_SHARED);
    this.#shared.set(visible, shared);
    const isByUse = limits.maxTools !== undefined;
    const key = JSON.stringify([
      limits,
      [...keeping.named],
      keeping.pins,
      isByUse ? [...activated] : [...activated.keys()].sort(),
    ]);
    return shared.getOrMake(key, () => listingOf(visible, activated, keeping, limits));
  }
}

/** Whether there is another activated tool that would make room for one that had to leave. */
function isBackByUse({ name }: Tool, { activated, listing }: Known): boolean {
  const { retired } = listing;
  return activated.size > retired.length && retired.some((tool) => tool.name === name);
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ name }) => name);
}
