import type { Capability } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ToolCapabilitiesTable } from "../tables/pins.ts";

export type CapabilitiesByTool = ReadonlyMap<string, readonly Capability[]>;

const NONE: CapabilitiesByTool = new Map();

/** The capabilities that people set for servers' tools, in memory and in the store. */
export class ToolCapabilities {
  readonly #store: ToolCapabilitiesTable;
  readonly #clock: Clock;
  #byServer = new Map<string, Map<string, readonly Capability[]>>();

  /** Empty until the first `reload`. */
  constructor(store: ToolCapabilitiesTable, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** By the tools' own names; the same map until it changes. */
  get(serverId: string): CapabilitiesByTool {
    return this.#byServer.get(serverId) ?? NONE;
  }

  async reload(): Promise<void> {
    const byServer = new Map<string, Map<string, readonly Capability[]>>();
    for (const { serverId, originalName, capabilities } of await this.#store.list()) {
      const known = byServer.get(serverId) ?? new Map<string, readonly Capability[]>();
      byServer.set(serverId, known.set(originalName, capabilities));
    }
    this.#byServer = byServer;
  }

  /** Null goes back to what is derived from the definition. */
  async set(
    serverId: string,
    originalName: string,
    capabilities: readonly Capability[] | null,
  ): Promise<void> {
    if (capabilities === null) await this.#store.delete(serverId, originalName);
    else await this.#store.put({ serverId, originalName, capabilities, setAt: this.#clock() });
    await this.reload();
  }

  async forget(serverId: string): Promise<void> {
    for (const name of this.get(serverId).keys()) await this.#store.delete(serverId, name);
    await this.reload();
  }
}
