import type { ServerConfig } from "../config/settings.ts";
import { ToolkeepError } from "../errors.ts";
import type { Events } from "../events.ts";
import type { Clock } from "../lib/clock.ts";
import type { NewId } from "../lib/id.ts";
import type { ServerRecord, Store } from "../store/store.ts";
import type { Vault } from "../vault/vault.ts";
import { type Definition, fingerprint, storedForm } from "./definition.ts";
import { sanitise } from "./names.ts";
import { changedConfig, reachChanged } from "./server-change.ts";
import type { ServerInput } from "./upstream.ts";

export interface ServerRowsDeps {
  readonly store: Pick<Store, "servers" | "notifications">;
  readonly vault: Pick<Vault, "seal">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

const NOTHING_KNOWN = {
  config: null,
  sealed: null,
  envKeys: [],
  headerKeys: [],
  enabled: true,
  status: "active",
  approvedFingerprint: null,
  addedBy: null,
  era: null,
  instructions: null,
  listedAt: null,
  lastError: null,
} as const satisfies Partial<ServerRecord>;

/** What the store keeps about servers, and the only code that changes it on a person's or agent's behalf. */
export class ServerRows {
  readonly #deps: ServerRowsDeps;

  constructor(deps: ServerRowsDeps) {
    this.#deps = deps;
  }

  /** Every row; servers that only a file declares get one, so that their ids, prefixes and tool names last. */
  async list(declared: Iterable<ServerConfig>): Promise<readonly ServerRecord[]> {
    const rows = await this.#deps.store.servers.list();
    const known = new Set(rows.map(({ name }) => name));
    for (const { name } of declared) {
      if (known.has(name)) continue;
      rows.push(await this.#createForFile(name));
    }
    return rows;
  }

  /** Takes the row that an earlier server of this name left, where there is one, and its tool names with it. */
  async add(config: ServerConfig, options: { isPending: boolean; addedBy: string | null }): Promise<void> {
    const { servers } = this.#deps.store;
    const existing = await servers.byName(config.name);
    const row = existing ?? this.#blank(config.name);
    const record: ServerRecord = {
      ...row,
      ...storedForm(row.id, config, this.#deps.vault),
      origin: "stored",
      status: options.isPending ? "pending_approval" : "active",
      addedBy: options.addedBy,
      era: null,
      lastError: null,
      updatedAt: this.#deps.clock(),
    };
    if (existing) await servers.update(row.id, record);
    else await servers.create(record);
    if (options.isPending) await this.#askForApproval(record);
  }

  async change({ record, config }: Definition, name: string, input: ServerInput): Promise<void> {
    const updatedAt = this.#deps.clock();
    if (config.source !== "stored") {
      const { enabled, ...others } = input;
      const changesMore = name !== record.name || Object.values(others).some((value) => value !== undefined);
      if (changesMore) throw declaredInFile(config);
      await this.#deps.store.servers.update(record.id, { enabled: enabled ?? record.enabled, updatedAt });
      return;
    }
    const changed = changedConfig(config, name, input);
    const stored = storedForm(record.id, changed, this.#deps.vault);
    const forgotten = reachChanged(config, changed) ? { era: null, lastError: null } : {};
    await this.#deps.store.servers.update(record.id, { name, ...stored, ...forgotten, updatedAt });
  }

  async approve({ record, config }: Definition): Promise<void> {
    await this.#deps.store.servers.update(record.id, {
      status: "active",
      approvedFingerprint: fingerprint(config),
      updatedAt: this.#deps.clock(),
    });
    await this.#endAsking(record);
  }

  /** The row stays, empty: people who remove a server and add it again expect their toolboxes to fit. */
  async remove({ record, config }: Definition): Promise<void> {
    if (config.source !== "stored") throw declaredInFile(config);
    const emptied = { ...NOTHING_KNOWN, origin: "file", updatedAt: this.#deps.clock() } as const;
    await this.#deps.store.servers.replaceTools(record.id, []);
    await this.#deps.store.servers.update(record.id, emptied);
    await this.#endAsking(record);
  }

  async #createForFile(name: string): Promise<ServerRecord> {
    const { servers } = this.#deps.store;
    const row: ServerRecord = { ...this.#blank(name), origin: "file" };
    try {
      await servers.create(row);
      return row;
    } catch (error) {
      // Another process on the same store read the same file at the same moment.
      const others = await servers.byName(name);
      if (others) return others;
      throw error;
    }
  }

  #blank(name: string): ServerRecord {
    const now = this.#deps.clock();
    return {
      id: this.#deps.newId("srv"),
      name,
      prefix: sanitise(name),
      origin: "stored",
      ...NOTHING_KNOWN,
      createdAt: now,
      updatedAt: now,
    };
  }

  async #askForApproval({ id: serverId, name, addedBy }: ServerRecord): Promise<void> {
    const id = notificationId(serverId);
    const title = `MCP server ${name} waits for approval`;
    await this.#deps.store.notifications.create({
      id,
      agentId: null,
      level: "warning",
      title,
      body: `The agent ${addedBy} added it. Nothing runs until you decide: toolkeep server approve ${name}, or toolkeep server remove ${name}.`,
      createdAt: this.#deps.clock(),
      dismissedAt: null,
    });
    this.#deps.events.emit("notification.raised", { id, title });
  }

  async #endAsking({ id: serverId }: ServerRecord): Promise<void> {
    const id = notificationId(serverId);
    const open = await this.#deps.store.notifications.list();
    if (open.some((notification) => notification.id === id)) {
      await this.#deps.store.notifications.dismiss(id, this.#deps.clock());
    }
  }
}

function notificationId(serverId: string): string {
  return `ntf_approve_${serverId}`;
}

function declaredInFile({ name, source }: ServerConfig): ToolkeepError {
  return new ToolkeepError(
    "READ_ONLY",
    `the server ${JSON.stringify(name)} is declared in the ${source} settings file: change it there; only enabled can be changed here`,
  );
}
