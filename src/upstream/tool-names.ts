import type { Settings } from "../config/settings.ts";
import { createSerial } from "../lib/serial.ts";
import type { ToolNameRecord, ToolNameStore } from "../store/store.ts";
import { type Nameless, nameTools } from "./names.ts";

/** Another hub on the same store may take a name between our look and our claim; it cannot win for ever. */
const CLAIM_ATTEMPTS = 5;

/** The names of every tool ever seen, in memory and in the store. */
export class ToolNames {
  readonly #store: ToolNameStore;
  readonly #reserved: () => ReadonlySet<string>;
  readonly #serial = createSerial();
  #records: readonly ToolNameRecord[];
  #byServer: ReadonlyMap<string, ReadonlyMap<string, string>>;

  private constructor(
    store: ToolNameStore,
    reserved: () => ReadonlySet<string>,
    records: readonly ToolNameRecord[],
  ) {
    this.#store = store;
    this.#reserved = reserved;
    this.#records = records;
    this.#byServer = byServer(records);
  }

  static async open(store: ToolNameStore, reserved: () => ReadonlySet<string>): Promise<ToolNames> {
    return new ToolNames(store, reserved, await store.list());
  }

  /** Undefined for a tool that was never claimed. */
  get(serverId: string, originalName: string): string | undefined {
    return this.#byServer.get(serverId)?.get(originalName);
  }

  /** Gives every one of the tools a name, for good. */
  claim(tools: readonly Nameless[], naming: Settings["naming"]): Promise<void> {
    return this.#serial("names", async () => {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        const fresh = nameTools(tools, this.#records, this.#reserved(), naming);
        if (fresh.length === 0) return;
        await this.#store.add(fresh);
        this.#records = await this.#store.list();
        this.#byServer = byServer(this.#records);
      }
    });
  }
}

function byServer(records: readonly ToolNameRecord[]): Map<string, Map<string, string>> {
  const servers = new Map<string, Map<string, string>>();
  for (const { serverId, originalName, name } of records) {
    const names = servers.get(serverId) ?? new Map<string, string>();
    servers.set(serverId, names.set(originalName, name));
  }
  return servers;
}
