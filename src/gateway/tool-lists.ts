import { setImmediate as nextTask } from "node:timers/promises";
import { nameFor } from "../catalog/grants.ts";
import type { Hub } from "../hub.ts";
import type { Caller, Tool } from "../tool.ts";
import { toMcpTool } from "./mcp-tool.ts";

const MAX_LISTS = 200;
/** How long building a list may keep everything else waiting. */
const SLICE_MS = 5;

/** What one caller gets from `tools/list`, ordered by name. */
export interface ToolList {
  /** A JSON array. */
  readonly text: string;
  readonly count: number;
  /** Another number where the list is another; the same as before where it only was made anew. */
  readonly version: number;
}

interface Entry {
  readonly tools: readonly Tool[];
  /** What tools may name as their user interface. */
  readonly resources: readonly unknown[];
  readonly texts: readonly string[];
  readonly list: ToolList;
}

interface Making extends Pick<Entry, "tools" | "resources"> {
  readonly list: Promise<ToolList>;
}

/** Tool lists as text, made once per grant set and catalogue revision, each tool once as long as it stays the same. */
export class ToolLists {
  readonly #hub: Pick<Hub, "catalog" | "offers">;
  readonly #entries = new Map<string, Entry>();
  readonly #making = new Map<string, Making>();
  readonly #texts = new WeakMap<Tool, Map<string, string>>();
  #versions = 0;

  constructor(hub: Pick<Hub, "catalog" | "offers">) {
    this.#hub = hub;
  }

  /** At once where nothing changed since the last time. */
  for(caller: Caller): ToolList | Promise<ToolList> {
    const tools = this.#hub.catalog.visible(caller);
    const resources = this.#hub.offers.visible(caller, "resource");
    const key = keyOf(caller);
    const known = this.#entries.get(key);
    // Both are the same arrays as long as nothing changed.
    if (known?.tools === tools && known.resources === resources) return known.list;
    const making = this.#making.get(key);
    if (making?.tools === tools && making.resources === resources) return making.list;
    const list = this.#make(key, { tools, resources }, caller).finally(() => {
      if (this.#making.get(key)?.list === list) this.#making.delete(key);
    });
    this.#making.set(key, { tools, resources, list });
    return list;
  }

  /** A tool as the caller sees it in its list. */
  textOf(tool: Tool, caller: Caller): string {
    const name = nameFor(tool, caller);
    const shown = this.#hub.offers.withInterfaceFor(caller, tool);
    const texts = this.#texts.get(shown) ?? new Map<string, string>();
    this.#texts.set(shown, texts);
    const text = texts.get(name) ?? JSON.stringify(toMcpTool(shown, name));
    texts.set(name, text);
    return text;
  }

  async #make(
    key: string,
    { tools, resources }: Pick<Entry, "tools" | "resources">,
    caller: Caller,
  ): Promise<ToolList> {
    const texts: string[] = [];
    let pausedAt = performance.now();
    for (const tool of tools) {
      texts.push(this.textOf(tool, caller));
      if (performance.now() - pausedAt < SLICE_MS) continue;
      await nextTask();
      pausedAt = performance.now();
    }
    const before = this.#entries.get(key);
    const list = before && isEqual(before.texts, texts) ? before.list : this.#newList(texts);
    this.#keep(key, { tools, resources, texts, list });
    return list;
  }

  /** Agents with the same tools share one text: thousands of tools are megabytes. */
  #newList(texts: readonly string[]): ToolList {
    const twin = [...this.#entries.values()].find((entry) => isEqual(entry.texts, texts));
    const text = twin?.list.text ?? `[${texts.join(",")}]`;
    return { text, count: texts.length, version: ++this.#versions };
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_LISTS && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Callers with equal keys have the same list once they have the same tools. */
function keyOf({ agentId, scopes, narrowing }: Caller): string {
  return `${agentId} ${scopes?.join(" ") ?? "*"} ${narrowing ? JSON.stringify(narrowing) : ""}`;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}
