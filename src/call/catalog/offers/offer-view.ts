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
import { comparedUri, promptTool, resourceTool, templateTool } from "./offer-tool.ts";

/** One offer of one origin. */
export interface Entry {
  readonly from: OfferOrigin;
  readonly offered: Offered;
  readonly tool: Tool;
  /** Of a template. */
  readonly template: UriTemplate | undefined;
  /** Of a resource: its URI as it is compared. */
  readonly form: string | undefined;
}

/** An entry under the name by which a caller knows it. */
export interface Shown {
  readonly name: string;
  readonly entry: Entry;
}

/** What decides over what a caller sees. */
export interface Sight {
  readonly isGranted: (tool: Tool) => boolean;
  /** Whether a rule denies it outright. */
  readonly isHidden: (tool: Tool) => boolean;
  /** The tools that the caller sees. */
  readonly tools: readonly Tool[];
  /** At a server's own address everything has the name that the server gave. */
  readonly ownNames: boolean;
}

/** Every offer there is, in the order of their origins. A resource whose URI readers differ about is none: nobody could read it. */
export function entriesOf(origins: readonly OfferOrigin[]): readonly Entry[] {
  return origins.flatMap((from) => from.offers.flatMap((offered) => entryOf(from, offered)));
}

function entryOf(from: OfferOrigin, offered: Offered): readonly Entry[] {
  const form = offered.kind === "resource" ? canonicalUri(offered.key) : undefined;
  if (form?.ok === false) return [];
  const template = offered.kind === "resource_template" ? uriTemplate(offered.key) : undefined;
  return [{ from, offered, tool: toolOf(from, offered), template, form: form?.value }];
}

/** What one caller sees of all offers. */
export class OfferView {
  readonly origins: readonly OfferOrigin[];
  readonly everything: readonly Entry[];
  readonly granted: readonly Entry[];
  readonly sight: Sight;
  readonly #linked: ReadonlySet<string>;
  readonly #shown: ReadonlyMap<OfferKind, ReadonlyMap<string, Shown>>;

  constructor(origins: readonly OfferOrigin[], everything: readonly Entry[], sight: Sight) {
    this.origins = origins;
    this.everything = everything;
    this.sight = sight;
    this.#linked = linkedResources(origins, sight.tools);
    this.granted = everything.filter(
      ({ tool, from, offered }) =>
        sight.isGranted(tool) || (offered.kind === "resource" && this.isLinked(from, offered.key)),
    );
    this.#shown = new Map(OFFER_KINDS.map((kind) => [kind, this.#show(kind)]));
  }

  /** By the names that the caller knows, which they are sorted by. */
  shown(kind: OfferKind): ReadonlyMap<string, Shown> {
    return this.#shown.get(kind)!;
  }

  /** Whether a tool that the caller sees names the resource as its user interface, whatever its toolboxes say. */
  isLinked(from: OfferOrigin, uri: string): boolean {
    return this.#linked.has(linkKey(from.origin, uri));
  }

  /** Whether the caller may see it, also where nobody lists it. */
  isListed(tool: Tool): boolean {
    return isPresent(tool) && !this.sight.isHidden(tool);
  }

  /** What there is for the caller, whether or not anything is listed yet. */
  get abilities(): OfferAbilities {
    const open = this.origins.filter(isPresent);
    const listing = (...kinds: OfferKind[]) =>
      new Set(kinds.flatMap((kind) => [...this.shown(kind).values()].map(({ entry }) => entry.from)));
    const may = (from: OfferOrigin, kind: OfferKind) =>
      this.sight.isGranted({ ...resourceTool(from, ""), ownName: `${kind}:` });
    const withResources = listing("resource", "resource_template");
    const withPrompts = listing("prompt");
    const resources = open.filter(
      (from) => withResources.has(from) || (from.abilities.resources && may(from, "resource")),
    );
    const prompts = open.filter(
      (from) => withPrompts.has(from) || (from.abilities.prompts && may(from, "prompt")),
    );
    const used = new Set([
      ...this.sight.tools.map(({ origin }) => origin),
      ...[...resources, ...prompts].map(({ origin }) => origin),
    ]);
    return {
      resources: resources.length > 0,
      subscribe: resources.some(({ abilities }) => abilities.subscribe),
      prompts: prompts.length > 0,
      completions: [...resources, ...prompts].some(({ abilities }) => abilities.completions),
      logging: open.some(({ origin, abilities }) => abilities.logging && used.has(origin)),
      tasks: open.some(({ origin, abilities }) => abilities.tasks && used.has(origin)),
    };
  }

  #show(kind: OfferKind): ReadonlyMap<string, Shown> {
    const shown = new Map<string, Shown>();
    for (const entry of this.granted) {
      if (entry.offered.kind !== kind || !this.isListed(entry.tool)) continue;
      const name = this.#nameOf(entry, shown);
      shown.set(name, { name, entry });
    }
    return new Map([...shown].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The first origin keeps a URI; nobody but us gives out addresses of ours. */
  #nameOf({ from, offered }: Entry, taken: ReadonlyMap<string, Shown>): string {
    if (this.sight.ownNames) return offered.key;
    if (offered.kind === "prompt") return offered.name;
    const isOurs = isAddress(offered.key) || taken.has(offered.key);
    return isOurs ? addressOf(from.name, offered.key) : offered.key;
  }
}

/** The definition under the name that the caller knows. */
export function renamedDefinition({ entry: { offered }, name }: Shown): OfferDefinition {
  return name === offered.key
    ? offered.definition
    : { ...offered.definition, [NAMED_BY[offered.kind]]: name };
}

const NAMED_BY: Readonly<Record<OfferKind, string>> = {
  resource: "uri",
  resource_template: "uriTemplate",
  prompt: "name",
};

/** Also while it cannot be used for the moment. */
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

/** The user interfaces that tools name (MCP Apps): without them the tool would be half. */
function linkedResources(origins: readonly OfferOrigin[], tools: readonly Tool[]): ReadonlySet<string> {
  const having = new Set(origins.filter(({ abilities }) => abilities.resources).map(({ origin }) => origin));
  const linked = new Set<string>();
  if (having.size === 0) return linked;
  for (const tool of tools) {
    if (!having.has(tool.origin)) continue;
    const uri = interfaceOf(tool);
    if (uri !== undefined) linked.add(linkKey(tool.origin, uri));
  }
  return linked;
}

function linkKey(origin: string, uri: string): string {
  return `${origin}\0${comparedUri(uri)}`;
}
