import type { Caller } from "../../../contract/caller.ts";
import {
  OFFER_KINDS,
  type OfferAbilities,
  type OfferDefinition,
  type OfferKind,
  type OfferOrigin,
  type OfferSource,
  type ResourceUpdate,
} from "../../../contract/offer.ts";
import type { Tool, ToolCall } from "../../../contract/tool.ts";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Catalog } from "../catalog.ts";
import { grantSet, isGranted } from "../grants.ts";
import type { Refusal } from "../resolve.ts";
import { interfaceOf, type ListedTool, withInterface } from "../tool-interface.ts";
import { addressOf } from "./offer-address.ts";
import {
  entriesOf,
  isPresent,
  type OfferEntry,
  OfferView,
  renameDefinition,
  type VisibleOffer,
} from "./offer-view.ts";
import { type Resource, resolveCompletion, resolvePrompt, resolveResource } from "./resolve-offer.ts";
import { ResourceWatches } from "./resource-watches.ts";
import { resolveTask } from "./task-tool.ts";

export interface OffersDeps {
  readonly source: OfferSource;
  readonly catalog: Pick<Catalog, "resolve" | "visible" | "onChange" | "toolboxes" | "viewKey">;
  /** Whether a rule denies it outright, so that the caller must not see it. */
  readonly isHidden: (tool: Tool, caller: Caller) => boolean;
  /** Whether a rule wants a person to approve every use of it. */
  readonly needsApproval: (tool: Tool, caller: Caller) => boolean;
}

const MAX_CACHED_VIEWS = 256;
const EVERY_KIND: ReadonlySet<OfferKind> = new Set(OFFER_KINDS);

/** The last result for one grant set. */
interface ViewCache {
  view: { readonly revision: number; readonly offers: OfferView } | undefined;
  readonly lists: Map<OfferKind, { readonly view: OfferView; readonly list: readonly OfferDefinition[] }>;
  abilities: { readonly view: OfferView; readonly abilities: OfferAbilities } | undefined;
}

/** The offers of all origins. */
interface OfferIndex {
  readonly origins: readonly OfferOrigin[];
  readonly entries: readonly OfferEntry[];
  /** By kind; the same array while the offers of that kind are the same. */
  readonly signature: Readonly<Record<OfferKind, readonly unknown[]>>;
}

/** Resources, templates and prompts of servers, and who may see which. Lists and calls all ask here. */
export class Offers {
  readonly #deps: OffersDeps;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #listeners = new Set<(kinds: ReadonlySet<OfferKind>) => void>();
  readonly #caches = new BoundedMap<string, ViewCache>(MAX_CACHED_VIEWS);
  #cachesOfCallers = new WeakMap<Caller, ViewCache>();
  readonly #watches = new ResourceWatches();
  /** Renamed definitions, cached so that an unchanged one stays the same object. */
  readonly #renamed = new WeakMap<OfferDefinition, Map<string, OfferDefinition>>();
  #index: OfferIndex | undefined;
  #revision = 0;

  constructor(deps: OffersDeps) {
    this.#deps = deps;
    const { source, catalog } = deps;
    this.#unsubscribe = [
      source.onOffersChange(() => this.#sourceChanged()),
      catalog.onChange(() => this.#changed(EVERY_KIND)),
    ];
  }

  /** Changes whenever an answer of this catalogue may have changed. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * The offers that the caller sees, as published except for the name, sorted by it: granted, in scope; not hidden,
   * disabled or pending. The same array until it differs, whatever the revision.
   */
  visible(caller: Caller, kind: OfferKind): readonly OfferDefinition[] {
    const cache = this.#cacheFor(caller);
    const view = this.#viewOf(cache, caller);
    const known = cache.lists.get(kind);
    if (known?.view === view) return known.list;
    const fresh = [...view.visible(kind).values()].map((offer) => this.#definition(offer));
    const list = known && areSame(known.list, fresh) ? known.list : fresh;
    cache.lists.set(kind, { view, list });
    return list;
  }

  /** Which kinds of offers the caller can use. */
  abilitiesFor(caller: Caller): OfferAbilities {
    const cache = this.#cacheFor(caller);
    const view = this.#viewOf(cache, caller);
    if (cache.abilities?.view !== view) cache.abilities = { view, abilities: view.abilities };
    return cache.abilities.abilities;
  }

  /**
   * Resolves, within a few seconds, once the servers that are being asked for their first lists have answered;
   * undefined where there are none. Later lists are announced by `onChange`.
   */
  pending(caller: Caller): Promise<unknown> | undefined {
    const { origins } = this.#viewOf(this.#cacheFor(caller), caller);
    const waits = origins.flatMap((from) => (isPresent(from) && from.pending()) || []);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Whether the caller sees anything at all. */
  hasAny(caller: Caller): boolean {
    const view = this.#viewOf(this.#cacheFor(caller), caller);
    return OFFER_KINDS.some((kind) => view.visible(kind).size > 0);
  }

  /** Finds what `call` asks for, as a tool. If nothing is found, `details.code` of the error says what was not. */
  resolve(call: ToolCall): Result<Tool, Refusal> {
    const { kind, name, caller } = call;
    if (kind === "task") return resolveTask(this.#deps.catalog.resolve(name, caller));
    const view = this.#viewOf(this.#cacheFor(caller), caller);
    if (kind === "resource") {
      const resource = resolveResource(name, caller, view);
      return resource.ok ? ok(resource.value.tool) : resource;
    }
    if (kind === "subscription") {
      const resource = resolveResource(name, caller, view);
      return resource.ok ? ok(this.#subscriptionTool(resource.value, call)) : resource;
    }
    if (kind === "prompt") {
      const prompt = resolvePrompt(name, caller, view);
      return prompt.ok ? ok(prompt.value.tool) : prompt;
    }
    const completion = resolveCompletion(call, view);
    // A person would be asked at every keystroke.
    if (completion.ok && this.#deps.needsApproval(completion.value, caller))
      return err(completionRefusal(name));
    return completion;
  }

  /**
   * The tool as the caller should see it. The user interface that it names (MCP Apps) belongs to its own server: where
   * another server has the same URI, that one must not be read instead.
   */
  withInterfaceFor(caller: Caller, tool: Tool): ListedTool {
    const uri = interfaceOf(tool);
    if (uri === undefined) return tool;
    const view = this.#viewOf(this.#cacheFor(caller), caller);
    const holder = view.visible("resource").get(uri)?.entry.from;
    if (!holder || holder.origin === tool.origin) return tool;
    const from = view.origins.find(({ origin }) => origin === tool.origin);
    return from ? withInterface(tool, addressOf(from.name, uri)) : tool;
  }

  /** A subscription to a resource is decided and recorded in the same way as reading it. */
  #subscriptionTool({ tool }: Resource, { name, subscription }: ToolCall): Tool {
    return {
      ...tool,
      run: async (_, context) => {
        if (!subscription)
          return { kind: "failed", message: "this call has no subscription to notify of changes" };
        const { callerNow, onUpdate } = subscription;
        const signal = AbortSignal.any([subscription.signal, context.signal]);
        const subscribed = await this.subscribe(callerNow, name, onUpdate, signal);
        return subscribed.ok
          ? { kind: "output", content: [], structured: {} }
          : { kind: "failed", message: subscribed.error };
      },
    };
  }

  /**
   * Calls `onUpdate` with the caller's URI whenever the resource changes, until the signal aborts. Resolves once
   * changes are being announced. Only for decided calls: others make a call of the kind `subscription`. `callerNow` is
   * asked at every update, so that a caller that lost access is no longer notified.
   */
  async subscribe(
    callerNow: () => Caller | undefined,
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<Result<undefined, string>> {
    const resolveFor = (caller: Caller) => {
      const found = resolveResource(uri, caller, this.#viewOf(this.#cacheFor(caller), caller));
      return found.ok && this.#deps.isHidden(found.value.tool, caller) ? err(denialOf(uri)) : found;
    };
    const caller = callerNow();
    if (!caller) return err("the agent no longer exists");
    const resource = resolveFor(caller);
    if (!resource.ok) return err(resource.error.error.message);
    return await this.#watches.watch(caller, resource.value, {
      signal,
      onUpdate: (update) => {
        const now = callerNow();
        if (now && isStillGranted(resolveFor(now))) onUpdate(renameUpdate(update, resource.value.uri, uri));
      },
    });
  }

  /**
   * Calls `listener` after each change of `revision`, with the kinds of offers that may look different to somebody;
   * `visible` tells whether they do for one caller. Returns the function that unsubscribes it.
   */
  onChange(listener: (kinds: ReadonlySet<OfferKind>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#unsubscribe) stop();
    this.#listeners.clear();
    this.#watches.close();
  }

  #sourceChanged(): void {
    const before = this.#index?.signature;
    const { signature } = this.#currentIndex();
    this.#changed(
      before ? new Set(OFFER_KINDS.filter((kind) => before[kind] !== signature[kind])) : EVERY_KIND,
    );
  }

  #changed(kinds: ReadonlySet<OfferKind>): void {
    this.#revision += 1;
    this.#cachesOfCallers = new WeakMap();
    for (const listener of this.#listeners) listener(kinds);
  }

  #cacheFor(caller: Caller): ViewCache {
    const known = this.#cachesOfCallers.get(caller) ?? this.#cacheByGrants(caller);
    this.#cachesOfCallers.set(caller, known);
    return known;
  }

  #cacheByGrants(caller: Caller): ViewCache {
    const key = this.#deps.catalog.viewKey(caller);
    return this.#caches.getOrMake(key, () => ({ view: undefined, lists: new Map(), abilities: undefined }));
  }

  #viewOf(cache: ViewCache, caller: Caller): OfferView {
    if (cache.view?.revision !== this.#revision)
      cache.view = { revision: this.#revision, offers: this.#view(caller) };
    return cache.view.offers;
  }

  #view(caller: Caller): OfferView {
    const { catalog, isHidden } = this.#deps;
    const { origins, entries } = this.#currentIndex();
    const grants = grantSet(caller, catalog.toolboxes.byName);
    const { origin } = grants;
    const isInRange = (from: OfferOrigin) => origin === undefined || from.origin === origin;
    return new OfferView(
      origins.filter(isInRange),
      entries.filter(({ from }) => isInRange(from)),
      {
        isGranted: (tool) => isGranted(tool, caller, grants),
        isHidden: (tool) => isHidden(tool, caller),
        tools: catalog.visible(caller),
        usesOwnNames: origin !== undefined,
      },
    );
  }

  #currentIndex(): OfferIndex {
    const origins = this.#deps.source.origins();
    if (this.#index?.origins !== origins) this.#index = buildIndex(origins, this.#index);
    return this.#index;
  }

  #definition(offer: VisibleOffer): OfferDefinition {
    const { definition, key } = offer.entry.offered;
    if (offer.name === key) return definition;
    const names = this.#renamed.get(definition) ?? new Map<string, OfferDefinition>();
    this.#renamed.set(definition, names);
    const renamed = names.get(offer.name) ?? renameDefinition(offer);
    names.set(offer.name, renamed);
    return renamed;
  }
}

function buildIndex(origins: readonly OfferOrigin[], previous: OfferIndex | undefined): OfferIndex {
  const entries = entriesOf(origins);
  const present = entries.filter(({ from }) => isPresent(from));
  const signatureOf = (kind: OfferKind) => {
    const fresh = present
      .filter(({ offered }) => offered.kind === kind)
      .flatMap(({ offered, from }) => [from.origin, offered.name, offered.definition]);
    const known = previous?.signature[kind];
    return known && areSame(known, fresh) ? known : fresh;
  };
  const signature = {
    resource: signatureOf("resource"),
    resource_template: signatureOf("resource_template"),
    prompt: signatureOf("prompt"),
  };
  return { origins, entries, signature };
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** A server that is unreachable for the moment has not been withdrawn. */
function isStillGranted(resolved: Result<unknown, Refusal>): boolean {
  return resolved.ok || resolved.error.outcome === "unavailable";
}

/** A server may announce a part of the watched resource. */
function renameUpdate(update: ResourceUpdate, own: string, known: string): ResourceUpdate {
  return own === known ? update : { ...update, uri: `${known}${update.uri.slice(own.length)}` };
}

function denialOf(uri: string): Refusal {
  return {
    outcome: "not_granted",
    error: {
      message: `the resource ${JSON.stringify(uri.slice(0, 200))} is denied by a rule`,
      remedy: "Use another one; only a person can change the rule.",
      details: { code: "resource_not_found", uri },
    },
  };
}

function completionRefusal(name: string): Refusal {
  return {
    outcome: "not_granted",
    error: {
      message: `a rule wants a person to see every use of ${JSON.stringify(name.slice(0, 200))}, so nothing is completed for it`,
      remedy: "Write the whole value.",
      details: { code: "not_completed" },
    },
  };
}
