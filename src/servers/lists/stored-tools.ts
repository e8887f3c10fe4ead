import { isDeepStrictEqual } from "node:util";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerRecord, ServerToolRecord, Store, ToolNameChange } from "../../machine/db/store.ts";
import type { Connection } from "../connection/connection.ts";
import type { Server } from "../lifecycle/server.ts";
import { fingerprintOf } from "../trust/fingerprint.ts";
import { heldReason, isPinned, type Pins } from "../trust/pins.ts";
import { serverTool } from "./server-tool.ts";
import type { ToolCapabilities } from "./tool-capabilities.ts";
import type { ToolDefinition, ToolList } from "./tool-list.ts";
import { ToolNames } from "./tool-names.ts";

type LearnedStore = Pick<Store, "servers" | "toolNames">;

/** What people decided about tools. */
export interface Decided {
  readonly pins: Pins;
  readonly capabilities: ToolCapabilities;
}

/** What is shown of a tool that waits for a person: nothing that its server says. */
const NOTHING_SAID = {};
const NO_TOOLS: readonly ServerToolRecord[] = [];
/** Learning and reloading wait for each other: lists read before one was learned must not take its place. */
const LISTS = "lists";

/** Tools as they were made for a server, and what they were made from. */
interface Made {
  readonly from: readonly unknown[];
  readonly tools: readonly Tool[];
}

/** The last tool list of every server, in memory and in the store, so that listing needs no running server. */
export class StoredTools {
  readonly #store: LearnedStore;
  readonly #clock: Clock;
  readonly #names: ToolNames;
  readonly #decided: Decided;
  readonly #serial = createSerial();
  #lists = new Map<string, readonly ServerToolRecord[]>();
  readonly #made = new Map<string, Made>();

  private constructor(store: LearnedStore, clock: Clock, names: ToolNames, decided: Decided) {
    this.#decided = decided;
    this.#store = store;
    this.#clock = clock;
    this.#names = names;
  }

  static async open(
    store: LearnedStore,
    reserved: () => ReadonlySet<string>,
    clock: Clock,
    decided: Decided,
  ): Promise<StoredTools> {
    const learned = new StoredTools(store, clock, new ToolNames(store.toolNames, reserved), decided);
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
    const capabilities = this.#decided.capabilities.of(record.id);
    const pins = isPinned(server.definition, settings) ? this.#decided.pins : undefined;
    const decided = [capabilities, pins?.heldOf(record.id), pins?.acceptedOf(record.id)];
    const from = [server, list, record.name, trusted, timeoutMs, progressExtendsTimeout, ...decided];
    const made = this.#made.get(record.id);
    if (made?.from.every((part, index) => part === from[index])) return made.tools;

    const host = {
      origin: `mcp:${record.name}`,
      trusted,
      capabilities,
      timeoutMs,
      progressExtendsTimeout,
      url: () => server.definition.config.url,
      cwd: () => server.definition.config.cwd,
      status: server.status.bind(server),
      request: server.request.bind(server),
    };
    const heldHost = {
      ...host,
      status: () => ({ kind: "pending_approval", reason: heldReason(record.name) }) as const,
    };
    const keptBack = new Set<string>();
    const tools = list.flatMap((tool) => {
      const { originalName } = tool;
      const name = this.#names.get(record.id, originalName);
      if (name === undefined) return [];
      if (pins?.keepsBack(record.id, "tool", originalName, () => fingerprintOfTool(tool))) {
        keptBack.add(originalName);
        return [serverTool({ originalName, definition: NOTHING_SAID }, name, heldHost)];
      }
      return [serverTool(tool, name, host)];
    });
    this.#decided.pins.setKeptBack(record.id, keptBack);
    this.#made.set(record.id, { from, tools });
    return tools;
  }

  /** The name that a tool has for agents. */
  nameOf(serverId: string, originalName: string): string | undefined {
    return this.#names.get(serverId, originalName);
  }

  /** Names the tools of a server anew, after another prefix. See `ToolNames.rename`. */
  rename(
    { id: serverId, name: serverName }: ServerRecord,
    prefix: string,
    { naming }: Settings,
    check: (changes: readonly ToolNameChange[]) => void,
  ): Promise<readonly ToolNameChange[]> {
    return this.#serial(LISTS, async () => {
      const changes = await this.#names.rename({ serverId, serverName, prefix }, naming, check);
      this.#made.delete(serverId);
      return changes;
    });
  }

  /** Whether a tool of this name, of whatever time, is another server's and not this one's. */
  isOthers(serverId: string, originalName: string): boolean {
    return this.#names.isOthers(serverId, originalName);
  }

  /** As last listed, kept back or not. */
  listOf(serverId: string): readonly ServerToolRecord[] {
    return this.#lists.get(serverId) ?? NO_TOOLS;
  }

  /** What is new in a list, by name or by what it says. */
  async newsIn(serverId: string, list: ToolList): Promise<readonly ToolDefinition[]> {
    const known = new Map(this.listOf(serverId).map((tool) => [tool.originalName, tool]));
    const pace = createPace();
    const news: ToolDefinition[] = [];
    for (const definition of list.tools) {
      if (!isDeepStrictEqual(definition, known.get(definition.name)?.definition)) news.push(definition);
      await pace();
    }
    return news;
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
    this.#decided.pins.setKeptBack(serverId, new Set());
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
    const known = this.#lists.get(serverId) ?? NO_TOOLS;
    const tools = await recordsOf(serverId, list.tools, known);
    if (tools.length !== known.length || tools.some((tool, at) => tool !== known[at])) {
      await this.#store.servers.replaceTools(serverId, tools);
      this.#lists.set(serverId, tools);
    }

    const news = {
      era: { ...connection.era },
      instructions: connection.instructions,
      listedAt: this.#clock(),
      lastError: null,
      failedAt: null,
    };
    await this.#store.servers.update(serverId, news);
    return news;
  }
}

/** What is as it was stays the same object. */
async function recordsOf(
  serverId: string,
  list: readonly ToolDefinition[],
  before: readonly ServerToolRecord[],
): Promise<readonly ServerToolRecord[]> {
  const known = new Map(before.map((tool) => [tool.originalName, tool]));
  const pace = createPace();
  const records: ServerToolRecord[] = [];
  for (const definition of list) {
    const was = known.get(definition.name);
    const isSame = was?.fingerprint !== undefined && isDeepStrictEqual(definition, was.definition);
    const fingerprint = isSame ? was.fingerprint : fingerprintOf("tool", definition);
    records.push(isSame ? was : { serverId, originalName: definition.name, definition, fingerprint });
    await pace();
  }
  return records;
}

/** Lists that an older Toolkeep stored have none until they are next learned. */
function fingerprintOfTool({ fingerprint, definition }: ServerToolRecord): string {
  return fingerprint ?? fingerprintOf("tool", definition);
}
