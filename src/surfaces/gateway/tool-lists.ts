import { createHash } from "node:crypto";
import { nameFor } from "../../call/catalog/grants.ts";
import type { ListedTool } from "../../call/catalog/tool-interface.ts";
import { listedDescription } from "../../call/conversation/listed-description.ts";
import type { Listing } from "../../call/conversation/listing.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Hub } from "../../hub.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { toMcpTool } from "./mcp-tool.ts";

/** Texts that are kept to be shared: agents with the same tools have one. */
const MAX_TEXTS = 200;

/** What one caller gets from `tools/list`, ordered by name. */
export interface ToolList {
  /** A JSON array. */
  readonly text: string;
  /** The same for lists that are the same. */
  readonly version: string;
  /** Whether it has every tool; others become longer as their callers find more. */
  readonly isWhole: boolean;
}

type Hubs = Pick<Hub, "offers" | "listings" | "settings">;

/** Tool lists as text, made once per list and catalogue revision, each tool once as long as it stays the same. */
export class ToolLists {
  readonly #hub: Hubs;
  /** By the tools in it, and by what these may name as their user interface: both are the same arrays as long as nothing changed. */
  #made = new WeakMap<readonly Tool[], WeakMap<readonly unknown[], ToolList | Promise<ToolList>>>();
  /** Where descriptions are cut in what was made. */
  #maxDescription: number;
  readonly #shared = new BoundedMap<string, ToolList>(MAX_TEXTS, { drops: "least used" });
  #texts = new WeakMap<ListedTool, Map<string, string>>();

  constructor(hub: Hubs) {
    this.#hub = hub;
    this.#maxDescription = hub.settings.mcp.maxDescriptionLength;
  }

  /** At once where nothing changed since the last time. */
  for(caller: Caller): ToolList | Promise<ToolList> {
    this.#forgetOtherCuts();
    const listing = this.#hub.listings.for(caller);
    return listing instanceof Promise
      ? listing.then((then) => this.#listOf(then, caller))
      : this.#listOf(listing, caller);
  }

  /** A tool as the caller sees it in its list. */
  textOf(tool: Tool, caller: Caller): string {
    const name = nameFor(tool, caller);
    const shown = this.#hub.offers.withInterfaceFor(caller, tool);
    const texts = this.#texts.get(shown) ?? new Map<string, string>();
    this.#texts.set(shown, texts);
    const text =
      texts.get(name) ??
      JSON.stringify(toMcpTool(shown, name, listedDescription(tool, this.#maxDescription)));
    texts.set(name, text);
    return text;
  }

  #forgetOtherCuts(): void {
    const { maxDescriptionLength } = this.#hub.settings.mcp;
    if (maxDescriptionLength === this.#maxDescription) return;
    this.#maxDescription = maxDescriptionLength;
    this.#made = new WeakMap();
    this.#texts = new WeakMap();
  }

  #listOf(listing: Listing, caller: Caller): ToolList | Promise<ToolList> {
    const { tools } = listing;
    const resources = this.#hub.offers.visible(caller, "resource");
    const made = this.#made.get(tools) ?? new WeakMap<readonly unknown[], ToolList | Promise<ToolList>>();
    this.#made.set(tools, made);
    const known = made.get(resources);
    if (known) return known;
    const making = this.#make(listing, caller).then(
      (list) => {
        made.set(resources, list);
        return list;
      },
      (error) => {
        made.delete(resources);
        throw error;
      },
    );
    made.set(resources, making);
    return making;
  }

  async #make({ tools, deferred }: Listing, caller: Caller): Promise<ToolList> {
    const pace = createPace();
    const version = createHash("sha1");
    const texts: string[] = [];
    for (const tool of tools) {
      const text = this.textOf(tool, caller);
      texts.push(text);
      version.update(text);
      await pace();
    }
    return this.#sharedList(texts, version.digest("base64"), deferred.length === 0);
  }

  /** Thousands of tools are megabytes. */
  #sharedList(texts: readonly string[], version: string, isWhole: boolean): ToolList {
    const text = this.#shared.get(version)?.text ?? `[${texts.join(",")}]`;
    const list = { text, version, isWhole };
    this.#shared.set(version, list);
    return list;
  }
}
