import { isDeepStrictEqual } from "node:util";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../lib/clock.ts";
import { createPace } from "../lib/pace.ts";
import { createSerial } from "../lib/serial.ts";
import type { ServerRecord, ServerToolRecord, Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "./server.ts";
import { serverTool } from "./server-tool.ts";
import type { ToolDefinition, ToolList } from "./tool-list.ts";
import { ToolNames } from "./tool-names.ts";

type LearnedStore = Pick<Store, "servers" | "toolNames">;

const NO_TOOLS: readonly ServerToolRecord[] = [];
/** Learning and reloading wait for each other: lists read before one was learned must not take its place. */
const LISTS = "lists";

/** Tools as they were made for a server, and what they were made from. */
interface Made {
  readonly from: readonly unknown[];
  readonly tools: readonly Tool[];
}

/** The last tool list of every server, in memory and in the store, so that listing needs no running server. */
export class LearnedTools {
  readonly #store: LearnedStore;
  readonly #clock: Clock;
  readonly #names: ToolNames;
  readonly #serial = createSerial();
  #lists = new Map<string, readonly ServerToolRecord[]>();
  readonly #made = new Map<string, Made>();

  private constructor(store: LearnedStore, clock: Clock, names: ToolNames) {
    this.#store = store;
    this.#clock = clock;
    this.#names = names;
  }

  static async open(
    store: LearnedStore,
    reserved: () => ReadonlySet<string>,
    clock: Clock,
  ): Promise<LearnedTools> {
    const learned = new LearnedTools(store, clock, new ToolNames(store.toolNames, reserved));
    await learned.reload();
    return learned;
  }

  /** Takes over what another process learned. */
  reload(): Promise<void> {
    return this.#serial(LISTS, () => this.#read());
  }

  /** The tools of a server in the order it listed them; the same objects as long as nothing about them changes. */
  of(server: Server, settings: Settings): readonly Tool[] {
    const { record, config } = server.definition;
    const { trusted, progressExtendsTimeout } = config;
    const timeoutMs = config.timeoutMs ?? settings.mcp.toolTimeoutMs;
    const list = this.#lists.get(record.id) ?? NO_TOOLS;
    const from = [server, list, record.name, trusted, timeoutMs, progressExtendsTimeout];
    const made = this.#made.get(record.id);
    if (made?.from.every((part, index) => part === from[index])) return made.tools;

    const host = {
      origin: `mcp:${record.name}`,
      trusted,
      timeoutMs,
      progressExtendsTimeout,
      status: () => server.status(),
      request: server.request.bind(server),
    };
    const tools = list.flatMap((tool) => {
      const name = this.#names.get(record.id, tool.originalName);
      return name === undefined ? [] : [serverTool(tool, name, host)];
    });
    this.#made.set(record.id, { from, tools });
    return tools;
  }

  /**
   * Keeps a new list and what else the connection told; resolves with what that changed in the server's record. A
   * list that is as it was is not written again.
   */
  learn(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
  ): Promise<Partial<ServerRecord>> {
    return this.#serial(LISTS, () => this.#keep(server, list, connection, settings));
  }

  forget(serverId: string): void {
    this.#lists.delete(serverId);
    this.#made.delete(serverId);
  }

  async #read(): Promise<void> {
    const tools = await this.#store.servers.tools();
    // After the lists: whoever stores a list has stored its names before.
    await this.#names.reload();
    const lists = new Map<string, ServerToolRecord[]>();
    for (const tool of tools) {
      const list = lists.get(tool.serverId);
      if (list) list.push(tool);
      else lists.set(tool.serverId, [tool]);
    }
    this.#lists = lists;
    this.#made.clear();
  }

  async #keep(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
  ): Promise<Partial<ServerRecord>> {
    const { id: serverId, name: serverName, prefix } = server.definition.record;
    const nameless = list.tools.map((tool) => ({ serverId, serverName, prefix, originalName: tool.name }));
    await this.#names.claim(nameless, settings.naming);
    this.#made.delete(serverId);
    if (!(await areEqual(list.tools, this.#lists.get(serverId) ?? NO_TOOLS))) {
      const tools = list.tools.map((definition) => ({ serverId, originalName: definition.name, definition }));
      await this.#store.servers.replaceTools(serverId, tools);
      this.#lists.set(serverId, tools);
    }

    const news = {
      era: { ...connection.era },
      instructions: connection.instructions,
      listedAt: this.#clock(),
      lastError: null,
    };
    await this.#store.servers.update(serverId, news);
    return news;
  }
}

async function areEqual(
  list: readonly ToolDefinition[],
  known: readonly ServerToolRecord[],
): Promise<boolean> {
  if (list.length !== known.length) return false;
  const pace = createPace();
  for (const [index, definition] of list.entries()) {
    if (!isDeepStrictEqual(definition, known[index]?.definition)) return false;
    await pace();
  }
  return true;
}
