import { isDeepStrictEqual } from "node:util";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Connection } from "../connection/connection.ts";
import type { Server } from "../lifecycle/server.ts";
import type { ServerRecord, ServerToolRecord, ToolNameChange } from "../records.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import { computeFingerprint } from "../trust/fingerprint.ts";
import { describeHeld, isPinned, type Pins } from "../trust/pins.ts";
import { createServerTool } from "./server-tool.ts";
import type { ToolCapabilities } from "./tool-capabilities.ts";
import type { ToolDefinition, ToolList } from "./tool-list.ts";
import { ToolNames } from "./tool-names.ts";

type ListStore = Pick<ServerTables, "servers" | "toolNames">;

/** People's decisions about tools. */
export interface ToolDecisions {
  readonly pins: Pins;
  readonly capabilities: ToolCapabilities;
}

/** Stands in for the definition of a held tool: nothing its server says is shown. */
const EMPTY_DEFINITION = {};
const NO_TOOLS: readonly ServerToolRecord[] = [];
/** Serialises storing and reloading: lists read before another was stored must not replace it. */
const LISTS = "lists";

/** The tools built for a server, and the inputs they were built from. */
interface BuiltTools {
  readonly inputs: readonly unknown[];
  readonly tools: readonly Tool[];
}

/** The last tool list of every server, in memory and in the store, so that listing needs no running server. */
export class StoredTools {
  readonly #store: ListStore;
  readonly #clock: Clock;
  readonly #names: ToolNames;
  readonly #decisions: ToolDecisions;
  readonly #serial = createSerial();
  #lists = new Map<string, readonly ServerToolRecord[]>();
  readonly #built = new Map<string, BuiltTools>();

  private constructor(store: ListStore, clock: Clock, names: ToolNames, decisions: ToolDecisions) {
    this.#decisions = decisions;
    this.#store = store;
    this.#clock = clock;
    this.#names = names;
  }

  static async open(
    store: ListStore,
    reserved: () => ReadonlySet<string>,
    clock: Clock,
    decisions: ToolDecisions,
  ): Promise<StoredTools> {
    const tools = new StoredTools(store, clock, new ToolNames(store.toolNames, reserved), decisions);
    await tools.reload();
    return tools;
  }

  /** Reads what another process stored. */
  reload(): Promise<void> {
    return this.#serial(LISTS, () => this.#read());
  }

  /** A server's tools in its own order; the same objects as long as nothing about them changes. */
  getTools(server: Server, settings: Settings): readonly Tool[] {
    const { record, config } = server.definition;
    const { trusted, progressExtendsTimeout } = config;
    const timeoutMs = config.timeoutMs ?? settings.mcp.toolTimeoutMs;
    const list = this.#lists.get(record.id) ?? NO_TOOLS;
    const capabilities = this.#decisions.capabilities.get(record.id);
    const pins = isPinned(server.definition, settings) ? this.#decisions.pins : undefined;
    const decisionInputs = [capabilities, pins?.getHeld(record.id), pins?.getAccepted(record.id)];
    const inputs = [server, list, record.name, trusted, timeoutMs, progressExtendsTimeout, ...decisionInputs];
    const built = this.#built.get(record.id);
    if (built?.inputs.every((part, index) => part === inputs[index])) return built.tools;

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
      status: () => ({ kind: "pending_approval", reason: describeHeld(record.name) }) as const,
    };
    const hidden = new Set<string>();
    const tools = list.flatMap((tool) => {
      const { originalName } = tool;
      const name = this.#names.get(record.id, originalName);
      if (name === undefined) return [];
      if (pins?.mustHide(record.id, "tool", originalName, () => getFingerprint(tool))) {
        hidden.add(originalName);
        return [createServerTool({ originalName, definition: EMPTY_DEFINITION }, name, heldHost)];
      }
      return [createServerTool(tool, name, host)];
    });
    this.#decisions.pins.setHidden(record.id, hidden);
    this.#built.set(record.id, { inputs, tools });
    return tools;
  }

  /** The tool's name in the catalogue. */
  getName(serverId: string, originalName: string): string | undefined {
    return this.#names.get(serverId, originalName);
  }

  /** Renames the tools of a server after its new prefix. See `ToolNames.rename`. */
  rename(
    { id: serverId, name: serverName }: ServerRecord,
    prefix: string,
    { naming }: Settings,
    check: (changes: readonly ToolNameChange[]) => void,
  ): Promise<readonly ToolNameChange[]> {
    return this.#serial(LISTS, async () => {
      const changes = await this.#names.rename({ serverId, serverName, prefix }, naming, check);
      this.#built.delete(serverId);
      return changes;
    });
  }

  /** Whether another server has, or ever had, a tool of this name, and this one never. */
  isForeign(serverId: string, originalName: string): boolean {
    return this.#names.isForeign(serverId, originalName);
  }

  /** The last list, including held tools. */
  getList(serverId: string): readonly ServerToolRecord[] {
    return this.#lists.get(serverId) ?? NO_TOOLS;
  }

  /** The definitions in a list that are new or changed. */
  async findChanged(serverId: string, list: ToolList): Promise<readonly ToolDefinition[]> {
    const known = new Map(this.getList(serverId).map((tool) => [tool.originalName, tool]));
    const pace = createPace();
    const changed: ToolDefinition[] = [];
    for (const definition of list.tools) {
      if (!isDeepStrictEqual(definition, known.get(definition.name)?.definition)) changed.push(definition);
      await pace();
    }
    return changed;
  }

  /**
   * Stores a new list and what else the connection revealed; resolves with the changed fields of the server's record. An
   * unchanged list is not written again.
   */
  store(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
  ): Promise<Partial<ServerRecord>> {
    return this.#serial(LISTS, () => this.#storeList(server, list, connection, settings));
  }

  forget(serverId: string): void {
    this.#decisions.pins.setHidden(serverId, new Set());
    this.#lists.delete(serverId);
    this.#built.delete(serverId);
  }

  async #read(): Promise<void> {
    const tools = await this.#store.servers.tools();
    // After the lists, because the names of a list are stored before it.
    await this.#names.reload();
    const lists = new Map<string, ServerToolRecord[]>();
    for (const tool of tools) {
      const list = lists.get(tool.serverId);
      if (list) list.push(tool);
      else lists.set(tool.serverId, [tool]);
    }
    this.#lists = lists;
    this.#built.clear();
  }

  async #storeList(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
  ): Promise<Partial<ServerRecord>> {
    const { id: serverId, name: serverName, prefix } = server.definition.record;
    const unnamed = list.tools.map((tool) => ({ serverId, serverName, prefix, originalName: tool.name }));
    await this.#names.claim(unnamed, settings.naming);
    this.#built.delete(serverId);
    const known = this.#lists.get(serverId) ?? NO_TOOLS;
    const tools = await toRecords(serverId, list.tools, known);
    if (tools.length !== known.length || tools.some((tool, at) => tool !== known[at])) {
      await this.#store.servers.replaceTools(serverId, tools);
      this.#lists.set(serverId, tools);
    }

    const changes = {
      era: { ...connection.era },
      instructions: connection.instructions,
      listedAt: this.#clock(),
      lastError: null,
      failedAt: null,
    };
    await this.#store.servers.update(serverId, changes);
    return changes;
  }
}

/** Keeps unchanged records as the same objects. */
async function toRecords(
  serverId: string,
  list: readonly ToolDefinition[],
  before: readonly ServerToolRecord[],
): Promise<readonly ServerToolRecord[]> {
  const known = new Map(before.map((tool) => [tool.originalName, tool]));
  const pace = createPace();
  const records: ServerToolRecord[] = [];
  for (const definition of list) {
    const previous = known.get(definition.name);
    const isSame = previous?.fingerprint !== undefined && isDeepStrictEqual(definition, previous.definition);
    const fingerprint = isSame ? previous.fingerprint : computeFingerprint("tool", definition);
    records.push(isSame ? previous : { serverId, originalName: definition.name, definition, fingerprint });
    await pace();
  }
  return records;
}

/** Computes it for lists stored by an older Toolkeep, which have none yet. */
function getFingerprint({ fingerprint, definition }: ServerToolRecord): string {
  return fingerprint ?? computeFingerprint("tool", definition);
}
