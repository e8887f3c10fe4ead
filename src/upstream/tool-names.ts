import type { Settings } from "../config/settings.ts";
import { createSerial } from "../lib/serial.ts";
import type { ToolNameRecord, ToolNameStore } from "../store/store.ts";
import { type Nameless, nameTools } from "./names.ts";

/** Another hub on the same store may take a name between our look and our claim; it cannot win for ever. */
const CLAIM_ATTEMPTS = 5;
/** Names are kept for good, so a server that invents new tools all the time must come to an end. */
const MAX_NAMES_PER_SERVER = 20_000;
/** Claims and reloads wait for each other. */
const NAMES = "names";

/** The names of every tool ever seen, in memory and in the store. */
export class ToolNames {
  readonly #store: ToolNameStore;
  readonly #reserved: () => ReadonlySet<string>;
  readonly #serial = createSerial();
  #records: readonly ToolNameRecord[] = [];
  #byServer: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();

  /** Knows no name before its first `reload`. */
  constructor(store: ToolNameStore, reserved: () => ReadonlySet<string>) {
    this.#store = store;
    this.#reserved = reserved;
  }

  reload(): Promise<void> {
    return this.#serial(NAMES, () => this.#read());
  }

  /** Undefined for a tool that was never claimed. */
  get(serverId: string, originalName: string): string | undefined {
    return this.#byServer.get(serverId)?.get(originalName);
  }

  /** Gives every one of the tools a name, for good; those of a server that has had too many get none. */
  claim(tools: readonly Nameless[], naming: Settings["naming"]): Promise<void> {
    return this.#serial(NAMES, async () => {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        const fresh = nameTools(this.#newcomers(tools), this.#records, this.#reserved(), naming);
        if (fresh.length === 0) return;
        await this.#store.add(fresh);
        await this.#read();
      }
    });
  }

  /** The tools without a name, as far as their servers may still have one. */
  #newcomers(tools: readonly Nameless[]): readonly Nameless[] {
    const room = new Map<string, number>();
    return tools.filter(({ serverId, originalName }) => {
      const names = this.#byServer.get(serverId);
      if (names?.has(originalName)) return false;
      const left = room.get(serverId) ?? MAX_NAMES_PER_SERVER - (names?.size ?? 0);
      room.set(serverId, left - 1);
      return left > 0;
    });
  }

  async #read(): Promise<void> {
    this.#records = await this.#store.list();
    this.#byServer = byServer(this.#records);
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
