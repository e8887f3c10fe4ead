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
import type { Refused } from "../resolve.ts";
import { interfaceOf, type ShownTool, withInterface } from "../tool-interface.ts";
import { addressOf } from "./offer-address.ts";
import { type Entry, entriesOf, isPresent, OfferView, renamedDefinition, type Shown } from "./offer-view.ts";
import { type Resource, resolveCompletion, resolvePrompt, resolveResource } from "./resolve-offer.ts";
import { ResourceWatches } from "./resource-watches.ts";
import { resolveTask } from "./task-tool.ts";

export interface OffersDeps {
  readonly source: OfferSource;
  readonly catalog: Pick<Catalog, "resolve" | "visible" | "onChange" | "toolboxes" | "sightKey">;
  /** Whether a rule denies it outright, so that the caller should not even see it. */
  readonly isHidden: (tool: Tool, caller: Caller) => boolean;
  /** Whether a rule wants a person to see every use of it first. */
  readonly isAsked: (tool: Tool, caller: Caller) => boolean;
}

const MAX_CACHED_VIEWS = 256;
const EVERY_KIND: ReadonlySet<OfferKind> = new Set(OFFER_KINDS);

/** What one grant set comes to, and what it came to last. */
interface Seen {
  view: { readonly at: number; readonly is: OfferView } | undefined;
  readonly lists: Map<OfferKind, { readonly of: OfferView; readonly list: readonly OfferDefinition[] }>;
  abilities: { readonly of: OfferView; readonly are: OfferAbilities } | undefined;
}

/** What all origins offer. */
interface Gathered {
  readonly origins: readonly OfferOrigin[];
  readonly entries: readonly Entry[];
  /** By kind, the same array as long as what there is of it is the same. */
  readonly signature: Readonly<Record<OfferKind, readonly unknown[]>>;
}

/** What there is beside tools, and who may see which. Lists and uses all ask here. */
export class Offers {
  readonly #deps: OffersDeps;
  readonly #stops: readonly (() => void)[];
  readonly #listeners = new Set<(kinds: ReadonlySet<OfferKind>) => void>();
  readonly #seen = new BoundedMap<string, Seen>(MAX_CACHED_VIEWS);
  #seenBy = new WeakMap<Caller, Seen>();
  readonly #watches = new ResourceWatches();
  /** Renamed definitions, so that one that did not change stays the same object. */
  readonly #renamed = new WeakMap<OfferDefinition, Map<string, OfferDefinition>>();
  #gathered: Gathered | undefined;
  #revision = 0;

  constructor(deps: OffersDeps) {
    this.#deps = deps;
    const { source, catalog } = deps;
    this.#stops = [
      source.onOffersChange(() => this.#sourceChanged()),
      catalog.onChange(() => this.#changed(EVERY_KIND)),
    ];
  }

  /** Changes whenever an answer of this catalogue may have changed. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * What the caller sees, as published but for the name, sorted by that: granted, in scope; not hidden, disabled
   * or pending. The same array, whatever the revision, until it is different.
   */
  visible(caller: Caller, kind: OfferKind): readonly OfferDefinition[] {
    const seen = this.#see(caller);
    const view = this.#viewOf(seen, caller);
    const known = seen.lists.get(kind);
    if (known?.of === view) return known.list;
    const fresh = [...view.shown(kind).values()].map((shown) => this.#definition(shown));
    const list = known && areSame(known.list, fresh) ? known.list : fresh;
    seen.lists.set(kind, { of: view, list });
    return list;
  }

  /** Which of these there are for the caller at all. */
  capabilitiesFor(caller: Caller): OfferAbilities {
    const seen = this.#see(caller);
    const view = this.#viewOf(seen, caller);
    if (seen.abilities?.of !== view) seen.abilities = { of: view, are: view.abilities };
    return seen.abilities.are;
  }

  /**
   * Resolves, within a few seconds, once the servers that are being asked for the first time what they offer have
   * answered; undefined where there are none. What is learned later is told by `onChange`.
   */
  pending(caller: Caller): Promise<unknown> | undefined {
    const { origins } = this.#viewOf(this.#see(caller), caller);
    const waits = origins.flatMap((from) => (isPresent(from) && from.pending()) || []);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  /** Whether the caller sees anything at all. */
  hasAny(caller: Caller): boolean {
    const view = this.#viewOf(this.#see(caller), caller);
    return OFFER_KINDS.some((kind) => view.shown(kind).size > 0);
  }

  /** What `call` asks for, as a tool. Where it was not found, `details.code` of the error says what was not. */
  resolve(call: ToolCall): Result<Tool, Refused> {
    const { kind, name, caller } = call;
    if (kind === "task") return resolveTask(this.#deps.catalog.resolve(name, caller));
    const view = this.#viewOf(this.#see(caller), caller);
    if (kind === "resource") {
      const resource = resolveResource(name, caller, view);
      return resource.ok ? ok(resource.value.tool) : resource;
    }
    if (kind === "subscription") {
      const resource = resolveResource(name, caller, view);
      return resource.ok ? ok(this.#subscribing(resource.value, call)) : resource;
    }
    if (kind === "prompt") {
      const prompt = resolvePrompt(name, caller, view);
      return prompt.ok ? ok(prompt.value.tool) : prompt;
    }
    const completion = resolveCompletion(call, view);
    // A person would be asked at every letter.
    if (completion.ok && this.#deps.isAsked(completion.value, caller)) return err(notCompleted(name));
    return completion;
  }

  /**
   * The tool as the caller should see it. The user interface that it names (MCP Apps) is its own server's: where another
   * server has the same URI, that must not be read in its place.
   */
  withInterfaceFor(caller: Caller, tool: Tool): ShownTool {
    const uri = interfaceOf(tool);
    if (uri === undefined) return tool;
    const view = this.#viewOf(this.#see(caller), caller);
    const holder = view.shown("resource").get(uri)?.entry.from;
    if (!holder || holder.origin === tool.origin) return tool;
    const from = view.origins.find(({ origin }) => origin === tool.origin);
    return from ? withInterface(tool, addressOf(from.name, uri)) : tool;
  }

  /** To hear of a resource's changes is decided and recorded as reading it is. */
  #subscribing({ tool }: Resource, { name, subscription }: ToolCall): Tool {
    return {
      ...tool,
      run: async (_, context) => {
        if (!subscription) return { kind: "failed", message: "nobody is there to hear of changes" };
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
   * Tells `onUpdate` when a resource changed, by the caller's URI for it, until the signal aborts. Resolves once
   * changes are told. Only what was decided may lead here: others make a call of the kind `subscription`. `callerNow` is asked each time: what was taken away meanwhile is not told any more.
   */
  async subscribe(
    callerNow: () => Caller | undefined,
    uri: string,
    onUpdate: (update: ResourceUpdate) => void,
    signal: AbortSignal,
  ): Promise<Result<undefined, string>> {
    const may = (caller: Caller) => {
      const found = resolveResource(uri, caller, this.#viewOf(this.#see(caller), caller));
      return found.ok && this.#deps.isHidden(found.value.tool, caller) ? err(hidden(uri)) : found;
    };
    const caller = callerNow();
    if (!caller) return err("there is no such agent any more");
    const resource = may(caller);
    if (!resource.ok) return err(resource.error.error.message);
    return await this.#watches.watch(caller, resource.value, {
      signal,
      onUpdate: (update) => {
        const now = callerNow();
        if (now && isStillThere(may(now))) onUpdate(asKnownBy(update, resource.value.uri, uri));
      },
    });
  }

  /**
   * Calls `listener` after `revision` changed, with the kinds of which somebody may see others now; whether a caller
   * does, `visible` says. Returns the function that stops it.
   */
  onChange(listener: (kinds: ReadonlySet<OfferKind>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#listeners.clear();
    this.#watches.close();
  }

  #sourceChanged(): void {
    const before = this.#gathered?.signature;
    const { signature } = this.#gather();
    this.#changed(
      before ? new Set(OFFER_KINDS.filter((kind) => before[kind] !== signature[kind])) : EVERY_KIND,
    );
  }

  #changed(kinds: ReadonlySet<OfferKind>): void {
    this.#revision += 1;
    this.#seenBy = new WeakMap();
    for (const listener of this.#listeners) listener(kinds);
  }

  #see(caller: Caller): Seen {
    const known = this.#seenBy.get(caller) ?? this.#seenByGrants(caller);
    this.#seenBy.set(caller, known);
    return known;
  }

  #seenByGrants(caller: Caller): Seen {
    const key = this.#deps.catalog.sightKey(caller);
    return this.#seen.getOrMake(key, () => ({ view: undefined, lists: new Map(), abilities: undefined }));
  }

  #viewOf(seen: Seen, caller: Caller): OfferView {
    if (seen.view?.at !== this.#revision) seen.view = { at: this.#revision, is: this.#view(caller) };
    return seen.view.is;
  }

  #view(caller: Caller): OfferView {
    const { catalog, isHidden } = this.#deps;
    const { origins, entries } = this.#gather();
    const grants = grantSet(caller, catalog.toolboxes.byName);
    const { origin } = grants;
    const isHere = (from: OfferOrigin) => origin === undefined || from.origin === origin;
    return new OfferView(
      origins.filter(isHere),
      entries.filter(({ from }) => isHere(from)),
      {
        isGranted: (tool) => isGranted(tool, caller, grants),
        isHidden: (tool) => isHidden(tool, caller),
        tools: catalog.visible(caller),
        ownNames: origin !== undefined,
      },
    );
  }

  #gather(): Gathered {
    const origins = this.#deps.source.origins();
    if (this.#gathered?.origins !== origins) this.#gathered = gathered(origins, this.#gathered);
    return this.#gathered;
  }

  #definition(shown: Shown): OfferDefinition {
    const { definition, key } = shown.entry.offered;
    if (shown.name === key) return definition;
    const names = this.#renamed.get(definition) ?? new Map<string, OfferDefinition>();
    this.#renamed.set(definition, names);
    const renamed = names.get(shown.name) ?? renamedDefinition(shown);
    names.set(shown.name, renamed);
    return renamed;
  }
}

function gathered(origins: readonly OfferOrigin[], before: Gathered | undefined): Gathered {
  const entries = entriesOf(origins);
  const present = entries.filter(({ from }) => isPresent(from));
  const signatureOf = (kind: OfferKind) => {
    const fresh = present
      .filter(({ offered }) => offered.kind === kind)
      .flatMap(({ offered, from }) => [from.origin, offered.name, offered.definition]);
    const known = before?.signature[kind];
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

/** A server that cannot be reached for the moment has not been taken away. */
function isStillThere(found: Result<unknown, Refused>): boolean {
  return found.ok || found.error.outcome === "unavailable";
}

/** A server may name a part of what is watched. */
function asKnownBy(update: ResourceUpdate, own: string, known: string): ResourceUpdate {
  return own === known ? update : { ...update, uri: `${known}${update.uri.slice(own.length)}` };
}

function hidden(uri: string): Refused {
  return {
    outcome: "not_granted",
    error: {
      message: `the resource ${JSON.stringify(uri.slice(0, 200))} is denied by a rule`,
      remedy: "Use another one; only a person can change the rule.",
      details: { code: "resource_not_found", uri },
    },
  };
}

function notCompleted(name: string): Refused {
  return {
    outcome: "not_granted",
    error: {
      message: `a rule wants a person to see every use of ${JSON.stringify(name.slice(0, 200))}, so nothing is completed for it`,
      remedy: "Write the whole value.",
      details: { code: "not_completed" },
    },
  };
}
