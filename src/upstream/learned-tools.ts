import type { Settings } from "../config/settings.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerRecord, Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "./server.ts";
import { serverTool } from "./server-tool.ts";
import type { ToolDefinition, ToolList } from "./tool-list.ts";
import { ToolNames } from "./tool-names.ts";

type LearnedStore = Pick<Store, "servers" | "toolNames">;

/** The last tool list of every server, in memory and in the store, so that listing needs no running server. */
export class LearnedTools {
  readonly #store: LearnedStore;
  readonly #clock: Clock;
  readonly #names: ToolNames;
  #definitions = new Map<string, ToolDefinition[]>();

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
  async reload(): Promise<void> {
    const tools = await this.#store.servers.tools();
    // After the lists: whoever stores a list has stored its names before.
    await this.#names.reload();
    this.#definitions = new Map();
    for (const { serverId, definition } of tools) {
      const known = this.#definitions.get(serverId) ?? [];
      known.push(definition as ToolDefinition);
      this.#definitions.set(serverId, known);
    }
  }

  /** The tools of a server in the order it listed them. */
  of(server: Server, settings: Settings): Tool[] {
    const { record, config } = server.definition;
    const host = {
      serverName: record.name,
      trusted: config.trusted,
      timeoutMs: config.timeoutMs ?? settings.mcp.toolTimeoutMs,
      status: () => server.status(),
      call: server.call.bind(server),
    };
    return (this.#definitions.get(record.id) ?? []).flatMap((definition) => {
      const name = this.#names.get(record.id, definition.name);
      return name === undefined ? [] : [serverTool(definition, name, host)];
    });
  }

  /** Keeps a new list and what else the connection told; resolves with what that changed in the server's record. */
  async learn(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
  ): Promise<Partial<ServerRecord>> {
    const { id: serverId, name: serverName, prefix } = server.definition.record;
    const tools = list.tools.map((definition) => ({ serverId, originalName: definition.name, definition }));
    await this.#names.claim(
      tools.map(({ originalName }) => ({ serverId, serverName, prefix, originalName })),
      settings.naming,
    );
    await this.#store.servers.replaceTools(serverId, tools);
    this.#definitions.set(serverId, [...list.tools]);

    const news = {
      era: { ...connection.era },
      instructions: connection.instructions,
      listedAt: this.#clock(),
      lastError: null,
    };
    await this.#store.servers.update(serverId, news);
    return news;
  }

  forget(serverId: string): void {
    this.#definitions.delete(serverId);
  }
}
