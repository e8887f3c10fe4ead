import { createPace } from "../../lib/flow/pace.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import { sanitise, withHash } from "../../lib/tool-name.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ToolNameChange, ToolNameRecord } from "../records.ts";
import { formerlyOf, type ToolNameTable } from "../tables/tool-names.ts";

/** Another hub on the same store may take a name first, but it cannot win every time. */
const CLAIM_ATTEMPTS = 5;
/** Names are kept for good, so a server that keeps inventing tools must hit a limit. */
const MAX_NAMES_PER_SERVER = 20_000;
/** Serialises claims and reloads. */
const NAMES = "names";

/** The names of all tools ever seen, in memory and in the store. */
export class ToolNames {
  readonly #store: ToolNameTable;
  readonly #reserved: () => ReadonlySet<string>;
  readonly #serial = createSerial();
  #records: ToolNameRecord[] = [];
  readonly #byServer = new Map<string, Map<string, string>>();

  /** Empty until the first `reload`. */
  constructor(store: ToolNameTable, reserved: () => ReadonlySet<string>) {
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
  isForeign(serverId: string, originalName: string): boolean {
    if (this.get(serverId, originalName) !== undefined) return false;
    for (const names of this.#byServer.values()) if (names.has(originalName)) return true;
    return false;
  }

  /** Gives each tool a permanent name. Tools beyond a server's limit get none. */
  claim(tools: readonly UnnamedTool[], naming: Settings["naming"]): Promise<void> {
    return this.#serial(NAMES, async () => {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        const unnamed = this.#findUnnamed(tools);
        if (unnamed.length === 0) return;
        const fresh = await nameTools(unnamed, this.#records, this.#reserved(), naming);
        this.#add(await this.#store.add(fresh));
        // Another hub took the name first: read what it took and choose again.
        if (fresh.some(({ serverId, originalName }) => this.get(serverId, originalName) === undefined))
          await this.#read();
      }
    });
  }

  /**
   * Renames every tool of a server after its new prefix. `check` sees the changes first and throws to refuse them. The
   * old names stay taken, so that a leftover mention never means another tool.
   */
  rename(
    server: Omit<UnnamedTool, "originalName">,
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

  /** The tools without a name, up to their server's limit. */
  #findUnnamed(tools: readonly UnnamedTool[]): readonly UnnamedTool[] {
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

/** A tool that may not have a name yet. */
export interface UnnamedTool {
  readonly serverId: string;
  readonly serverName: string;
  /** Replaces `{server}` in the template. */
  readonly prefix: string;
  readonly originalName: string;
}

/** These start the names of custom tools and plugins, so no server's tool may use them. */
const RESERVED_PREFIXES = ["custom_", "plugin_"];

/**
 * Names those `tools` that have no name in `taken`. Never reuses a taken or `reserved` name: on a collision the name gets
 * a short hash. The result does not depend on the order of `tools`. Yields regularly, so that many tools do not block
 * other work.
 */
export async function nameTools(
  tools: readonly UnnamedTool[],
  taken: readonly ToolNameRecord[],
  reserved: ReadonlySet<string>,
  naming: Settings["naming"],
): Promise<ToolNameRecord[]> {
  const namedKeys = new Set(taken.map(toKey));
  const used = new Set([...reserved, ...taken.map(({ name }) => name)]);
  const unnamed = new Map(
    tools.filter((tool) => !namedKeys.has(toKey(tool))).map((tool) => [toKey(tool), tool]),
  );

  const records: ToolNameRecord[] = [];
  const pace = createPace();
  for (const tool of [...unnamed.values()].sort(compareTools)) {
    const name = findFreeName(tool, used, naming);
    used.add(name);
    records.push({ serverId: tool.serverId, originalName: tool.originalName, name });
    await pace();
  }
  return records;
}

function findFreeName(
  tool: UnnamedTool,
  used: ReadonlySet<string>,
  { template, maxLength }: Settings["naming"],
): string {
  const whole = buildFullName(tool, template);
  const plain =
    whole.length <= maxLength ? whole : withHash(whole, `${tool.prefix}\0${tool.originalName}`, maxLength);
  let name = plain;
  for (let attempt = 0; used.has(name); attempt++) {
    name = withHash(whole, `${tool.serverName}\0${tool.originalName}\0${attempt}`, maxLength);
  }
  return name;
}

function buildFullName({ prefix, originalName }: UnnamedTool, template: string): string {
  const parts: Record<string, string> = { server: prefix, tool: sanitise(originalName) };
  const name = sanitise(template.replace(/\{(server|tool)\}/g, (_, part: string) => parts[part]!));
  return RESERVED_PREFIXES.some((reserved) => name.startsWith(reserved)) ? `mcp_${name}` : name;
}

function toKey({ serverId, originalName }: { serverId: string; originalName: string }): string {
  return `${serverId}\0${originalName}`;
}

function compareTools(a: UnnamedTool, b: UnnamedTool): number {
  return compareTexts(a.serverName, b.serverName) || compareTexts(a.originalName, b.originalName);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
