import { createPace } from "../../lib/flow/pace.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { sanitise, withHash } from "../../lib/tool-name.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ToolNameChange, ToolNameRecord, ToolNameStore } from "../../machine/db/store.ts";
import { formerlyOf } from "../../machine/db/tables/sources/tool-names.ts";

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
  #records: ToolNameRecord[] = [];
  readonly #byServer = new Map<string, Map<string, string>>();

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

  /** Whether another server has had a tool of this name, and this one never. */
  isOthers(serverId: string, originalName: string): boolean {
    if (this.get(serverId, originalName) !== undefined) return false;
    for (const names of this.#byServer.values()) if (names.has(originalName)) return true;
    return false;
  }

  /** Gives every one of the tools a name, for good; those of a server that has had too many get none. */
  claim(tools: readonly Nameless[], naming: Settings["naming"]): Promise<void> {
    return this.#serial(NAMES, async () => {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        const newcomers = this.#newcomers(tools);
        if (newcomers.length === 0) return;
        const fresh = await nameTools(newcomers, this.#records, this.#reserved(), naming);
        this.#add(await this.#store.add(fresh));
        // A name that another hub took first was not given: with what it took known, another is found.
        if (fresh.some(({ serverId, originalName }) => this.get(serverId, originalName) === undefined))
          await this.#read();
      }
    });
  }

  /**
   * Names every tool of a server anew, after its new prefix. `check` sees the changes before any is made, and throws to refuse them. The old
   * names stay taken, so that what still mentions one never means another tool.
   */
  rename(
    server: Omit<Nameless, "originalName">,
    naming: Settings["naming"],
    check: (changes: readonly ToolNameChange[]) => void,
  ): Promise<readonly ToolNameChange[]> {
    return this.#serial(NAMES, async () => {
      await this.#read();
      const own = this.#byServer.get(server.serverId) ?? new Map<string, string>();
      const free = new Set([server.serverId, formerlyOf(server.serverId)]);
      const others = this.#records.filter(({ serverId }) => !free.has(serverId));
      const tools = [...own.keys()].map((originalName) => ({ ...server, originalName }));
      const fresh = await nameTools(tools, others, this.#reserved(), naming);
      const changes = fresh.flatMap(({ originalName, name: to }) => {
        const from = own.get(originalName)!;
        return from === to ? [] : [{ originalName, from, to }];
      });
      check(changes);
      await this.#store.rename(server.serverId, changes);
      await this.#read();
      return changes;
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
    const records = await this.#store.list();
    this.#records = [];
    this.#byServer.clear();
    this.#add(records);
  }

  #add(records: readonly ToolNameRecord[]): void {
    for (const record of records) {
      const { serverId, originalName, name } = record;
      const names = this.#byServer.get(serverId) ?? new Map<string, string>();
      if (names.has(originalName)) continue;
      this.#byServer.set(serverId, names.set(originalName, name));
      this.#records.push(record);
    }
  }
}

/** A tool of a server that may not have a name yet. */
export interface Nameless {
  readonly serverId: string;
  readonly serverName: string;
  /** What `{server}` becomes. */
  readonly prefix: string;
  readonly originalName: string;
}

/** Begin the names of scripts and plugins, so no server's tool may. */
const RESERVED_PREFIXES = ["custom_", "plugin_"];

/**
 * Names for those of `tools` that have none in `taken`. A taken name is never given away again, nor a `reserved`
 * one: who would collide gets a short hash. The result does not depend on the order of `tools`. However many there are,
 * others get their turn meanwhile.
 */
export async function nameTools(
  tools: readonly Nameless[],
  taken: readonly ToolNameRecord[],
  reserved: ReadonlySet<string>,
  naming: Settings["naming"],
): Promise<ToolNameRecord[]> {
  const named = new Set(taken.map(pairOf));
  const used = new Set([...reserved, ...taken.map(({ name }) => name)]);
  const newcomers = new Map(
    tools.filter((tool) => !named.has(pairOf(tool))).map((tool) => [pairOf(tool), tool]),
  );

  const records: ToolNameRecord[] = [];
  const pace = createPace();
  for (const tool of [...newcomers.values()].sort(byServerAndName)) {
    const name = freeName(tool, used, naming);
    used.add(name);
    records.push({ serverId: tool.serverId, originalName: tool.originalName, name });
    await pace();
  }
  return records;
}

function freeName(
  tool: Nameless,
  used: ReadonlySet<string>,
  { template, maxLength }: Settings["naming"],
): string {
  const whole = wholeName(tool, template);
  const plain =
    whole.length <= maxLength ? whole : withHash(whole, `${tool.prefix}\0${tool.originalName}`, maxLength);
  let name = plain;
  for (let attempt = 0; used.has(name); attempt++) {
    name = withHash(whole, `${tool.serverName}\0${tool.originalName}\0${attempt}`, maxLength);
  }
  return name;
}

function wholeName({ prefix, originalName }: Nameless, template: string): string {
  const parts: Record<string, string> = { server: prefix, tool: sanitise(originalName) };
  const name = sanitise(template.replace(/\{(server|tool)\}/g, (_, part: string) => parts[part]!));
  return RESERVED_PREFIXES.some((reserved) => name.startsWith(reserved)) ? `mcp_${name}` : name;
}

function pairOf({ serverId, originalName }: { serverId: string; originalName: string }): string {
  return `${serverId}\0${originalName}`;
}

function byServerAndName(a: Nameless, b: Nameless): number {
  return compare(a.serverName, b.serverName) || compare(a.originalName, b.originalName);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
