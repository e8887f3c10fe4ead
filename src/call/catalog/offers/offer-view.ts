import {
  OFFER_KINDS,
  type OfferAbilities,
  type OfferDefinition,
  type Offered,
  type OfferKind,
  type OfferOrigin,
} from "../../../contract/offer.ts";
import type { Tool } from "../../../contract/tool.ts";
import { canonicalUri } from "../../../lib/address/resource-uri.ts";
import { type UriTemplate, uriTemplate } from "../../../lib/text/uri-template.ts";
import { interfaceOf } from "../tool-interface.ts";
import { addressOf, isAddress } from "./offer-address.ts";
import { comparableUri, promptTool, resourceTool, templateTool } from "./offer-tool.ts";

/** One offer of one origin. */
export interface OfferEntry {
  readonly from: OfferOrigin;
  readonly offered: Offered;
  readonly tool: Tool;
  /** Only for a template. */
  readonly template: UriTemplate | undefined;
  /** Only for a resource: its URI in canonical form. */
  readonly canonicalUri: string | undefined;
}

/** An entry under the name by which a caller knows it. */
export interface VisibleOffer {
  readonly name: string;
  readonly entry: OfferEntry;
}

/** Decides what a caller sees. */
export interface OfferFilter {
  readonly isGranted: (tool: Tool) => boolean;
  /** Whether a rule denies it outright. */
  readonly isHidden: (tool: Tool) => boolean;
  /** The tools that the caller sees. */
  readonly tools: readonly Tool[];
  /** At a server's own address every offer has the server's name for it. */
  readonly usesOwnNames: boolean;
}

/**
 * All offers, in the order of their origins. A resource whose URI readers interpret differently is left out: nobody
 * could read it.
 */
export function entriesOf(origins: readonly OfferOrigin[]): readonly OfferEntry[] {
  return origins.flatMap((from) => from.offers.flatMap((offered) => entryOf(from, offered)));
}

function entryOf(from: OfferOrigin, offered: Offered): readonly OfferEntry[] {
  const canonical = offered.kind === "resource" ? canonicalUri(offered.key) : undefined;
  if (canonical?.ok === false) return [];
  const template = offered.kind === "resource_template" ? uriTemplate(offered.key) : undefined;
  return [{ from, offered, tool: toolOf(from, offered), template, canonicalUri: canonical?.value }];
}

/** The offers that one caller sees. */
export class OfferView {
  readonly origins: readonly OfferOrigin[];
  readonly all: readonly OfferEntry[];
  readonly granted: readonly OfferEntry[];
  readonly filter: OfferFilter;
  readonly #linked: ReadonlySet<string>;
  readonly #visible: ReadonlyMap<OfferKind, ReadonlyMap<string, VisibleOffer>>;

  constructor(origins: readonly OfferOrigin[], all: readonly OfferEntry[], filter: OfferFilter) {
    this.origins = origins;
    this.all = all;
    this.filter = filter;
    this.#linked = linkedResources(origins, filter.tools);
    this.granted = all.filter(
      ({ tool, from, offered }) =>
        filter.isGranted(tool) || (offered.kind === "resource" && this.isLinked(from, offered.key)),
    );
    this.#visible = new Map(OFFER_KINDS.map((kind) => [kind, this.#computeVisible(kind)]));
  }

  /** By the names that the caller knows, sorted. */
  visible(kind: OfferKind): ReadonlyMap<string, VisibleOffer> {
    return this.#visible.get(kind)!;
  }

  /** Whether a tool that the caller sees names the resource as its user interface; such a resource needs no grant. */
  isLinked(from: OfferOrigin, uri: string): boolean {
    return this.#linked.has(linkKey(from.origin, uri));
  }

  /** Whether the caller may see it, even where no server lists it. */
  isListed(tool: Tool): boolean {
    return isPresent(tool) && !this.filter.isHidden(tool);
  }

  /** Which kinds of offers the caller can use, whether or not any are listed yet. */
  get abilities(): OfferAbilities {
    const present = this.origins.filter(isPresent);
    const originsListing = (...kinds: OfferKind[]) =>
      new Set(kinds.flatMap((kind) => [...this.visible(kind).values()].map(({ entry }) => entry.from)));
    const mayHave = (from: OfferOrigin, kind: OfferKind) =>
      this.filter.isGranted({ ...resourceTool(from, ""), ownName: `${kind}:` });
    const withResources = originsListing("resource", "resource_template");
    const withPrompts = originsListing("prompt");
    const resources = present.filter(
      (from) => withResources.has(from) || (from.abilities.resources && mayHave(from, "resource")),
    );
    const prompts = present.filter(
      (from) => withPrompts.has(from) || (from.abilities.prompts && mayHave(from, "prompt")),
    );
    const used = new Set([
      ...this.filter.tools.map(({ origin }) => origin),
      ...[...resources, ...prompts].map(({ origin }) => origin),
    ]);
    return {
      resources: resources.length > 0,
      subscribe: resources.some(({ abilities }) => abilities.subscribe),
      prompts: prompts.length > 0,
      completions: [...resources, ...prompts].some(({ abilities }) => abilities.completions),
      logging: present.some(({ origin, abilities }) => abilities.logging && used.has(origin)),
      tasks: present.some(({ origin, abilities }) => abilities.tasks && used.has(origin)),
    };
  }

  #computeVisible(kind: OfferKind): ReadonlyMap<string, VisibleOffer> {
    const visible = new Map<string, VisibleOffer>();
    for (const entry of this.granted) {
      if (entry.offered.kind !== kind || !this.isListed(entry.tool)) continue;
      const name = this.#nameOf(entry, visible);
      visible.set(name, { name, entry });
    }
    return new Map([...visible].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The first origin keeps a URI; only Toolkeep issues addresses of its own scheme. */
  #nameOf({ from, offered }: OfferEntry, taken: ReadonlyMap<string, VisibleOffer>): string {
    if (this.filter.usesOwnNames) return offered.key;
    if (offered.kind === "prompt") return offered.name;
    const needsAddress = isAddress(offered.key) || taken.has(offered.key);
    return needsAddress ? addressOf(from.name, offered.key) : offered.key;
  }
}

/** The definition under the name that the caller knows. */
export function renameDefinition({ entry: { offered }, name }: VisibleOffer): OfferDefinition {
  return name === offered.key
    ? offered.definition
    : { ...offered.definition, [NAME_FIELDS[offered.kind]]: name };
}

const NAME_FIELDS: Readonly<Record<OfferKind, string>> = {
  resource: "uri",
  resource_template: "uriTemplate",
  prompt: "name",
};

/** Includes what is unavailable only for the moment. */
export function isPresent(it: Pick<Tool, "status">): boolean {
  const { kind } = it.status();
  return kind === "active" || kind === "unavailable";
}

function toolOf(from: OfferOrigin, offered: Offered): Tool {
  switch (offered.kind) {
    case "resource":
      return resourceTool(from, offered.key, offered.key, offered.definition);
    case "resource_template":
      return templateTool(from, offered);
    case "prompt":
      return promptTool(from, offered);
  }
}

/** The user interfaces that tools name (MCP Apps): a tool is incomplete without its own. */
function linkedResources(origins: readonly OfferOrigin[], tools: readonly Tool[]): ReadonlySet<string> {
  const withResources = new Set(
    origins.filter(({ abilities }) => abilities.resources).map(({ origin }) => origin),
  );
  const linked = new Set<string>();
  if (withResources.size === 0) return linked;
  for (const tool of tools) {
    if (!withResources.has(tool.origin)) continue;
    const uri = interfaceOf(tool);
    if (uri !== undefined) linked.add(linkKey(tool.origin, uri));
  }
  return linked;
}

function linkKey(origin: string, uri: string): string {
  return `${origin}\0${comparableUri(uri)}`;
}
