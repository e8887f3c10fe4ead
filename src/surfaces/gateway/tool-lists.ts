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

/** How many texts are shared: agents with the same tools use one. */
const MAX_TEXTS = 200;

/** One caller's answer to `tools/list`, ordered by name. */
export interface ToolList {
  /** A JSON array. */
  readonly text: string;
  /** Equal for equal lists. */
  readonly version: string;
  /** Whether it contains every tool; other lists grow as their callers find more. */
  readonly isWhole: boolean;
}

type ListHub = Pick<Hub, "offers" | "listings" | "settings">;

/** Tool lists as text, built once per list and catalogue revision; each tool's text is reused while it is unchanged. */
export class ToolLists {
  readonly #hub: ListHub;
  /** Keyed by the tools and by the resources that they may name as user interface; both arrays stay the same while nothing changes. */
  #lists = new WeakMap<readonly Tool[], WeakMap<readonly unknown[], ToolList | Promise<ToolList>>>();
  /** The limit at which the cached descriptions were cut. */
  #maxDescription: number;
  readonly #shared = new BoundedMap<string, ToolList>(MAX_TEXTS, { drops: "least used" });
  #texts = new WeakMap<ListedTool, Map<string, string>>();

  constructor(hub: ListHub) {
    this.#hub = hub;
    this.#maxDescription = hub.settings.mcp.maxDescriptionLength;
  }

  /** Returns at once if nothing changed since the last time. */
  getList(caller: Caller): ToolList | Promise<ToolList> {
    this.#resetIfLimitChanged();
    const listing = this.#hub.listings.for(caller);
    return listing instanceof Promise
      ? listing.then((then) => this.#findOrBuild(then, caller))
      : this.#findOrBuild(listing, caller);
  }

  /** A tool as the caller sees it in its list. */
  getToolText(tool: Tool, caller: Caller): string {
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

  #resetIfLimitChanged(): void {
    const { maxDescriptionLength } = this.#hub.settings.mcp;
    if (maxDescriptionLength === this.#maxDescription) return;
    this.#maxDescription = maxDescriptionLength;
    this.#lists = new WeakMap();
    this.#texts = new WeakMap();
  }

  #findOrBuild(listing: Listing, caller: Caller): ToolList | Promise<ToolList> {
    const { tools } = listing;
    const resources = this.#hub.offers.visible(caller, "resource");
    const byResources =
      this.#lists.get(tools) ?? new WeakMap<readonly unknown[], ToolList | Promise<ToolList>>();
    this.#lists.set(tools, byResources);
    const known = byResources.get(resources);
    if (known) return known;
    const building = this.#build(listing, caller).then(
      (list) => {
        byResources.set(resources, list);
        return list;
      },
      (error) => {
        byResources.delete(resources);
        throw error;
      },
    );
    byResources.set(resources, building);
    return building;
  }

  async #build({ tools, deferred }: Listing, caller: Caller): Promise<ToolList> {
    const pace = createPace();
    const version = createHash("sha1");
    const texts: string[] = [];
    for (const tool of tools) {
      const text = this.getToolText(tool, caller);
      texts.push(text);
      version.update(text);
      await pace();
    }
    return this.#shareText(texts, version.digest("base64"), deferred.length === 0);
  }

  /** Shares equal texts, because thousands of tools take megabytes. */
  #shareText(texts: readonly string[], version: string, isWhole: boolean): ToolList {
    const text = this.#shared.get(version)?.text ?? `[${texts.join(",")}]`;
    const list = { text, version, isWhole };
    this.#shared.set(version, list);
    return list;
  }
}
