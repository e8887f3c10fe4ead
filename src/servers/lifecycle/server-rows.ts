import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { prefixOf } from "../../lib/tool-name.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import type { ServerRecord, Store } from "../../machine/db/store.ts";
import type { ServerInput } from "../views.ts";
import { ApprovalNotices } from "./approval-notices.ts";
import { type Definition, fingerprint } from "./definition.ts";
import { storedForm } from "./sealed-config.ts";
import { changedConfig, reachChanged, reachKeys } from "./server-change.ts";

export interface ServerRowsDeps {
  readonly store: Pick<Store, "servers" | "notifications">;
  readonly vault: Pick<Vault, "seal">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** What only connecting finds out. Void with the way to the server: a sign-in must never reach another address. */
const NOTHING_FOUND = {
  era: null,
  asksBack: false,
  auth: null,
  lastError: null,
  failedAt: null,
} as const satisfies Partial<ServerRecord>;

const NOTHING_KNOWN = {
  config: null,
  sealed: null,
  envKeys: [],
  headerKeys: [],
  enabled: true,
  status: "active",
  approvedFingerprint: null,
  addedBy: null,
  instructions: null,
  listedAt: null,
  ...NOTHING_FOUND,
} as const satisfies Partial<ServerRecord>;

/** What the store keeps about servers, and the only code that changes it on a person's or agent's behalf. */
export class ServerRows {
  readonly #deps: ServerRowsDeps;
  readonly #notices: ApprovalNotices;
  #isFirstList = true;

  constructor(deps: ServerRowsDeps) {
    this.#deps = deps;
    this.#notices = new ApprovalNotices(deps);
  }

  /** Every row; servers that only a file declares get one, so that their ids, prefixes and tool names last. */
  async list(declared: Iterable<ServerConfig>): Promise<readonly ServerRecord[]> {
    const rows = await this.#deps.store.servers.list();
    const known = new Set(rows.map(({ name }) => name));
    for (const { name } of declared) {
      if (known.has(name)) continue;
      rows.push(await this.#createForFile(name));
    }
    if (this.#isFirstList) await this.#notices.askAgain(rows);
    this.#isFirstList = false;
    return rows;
  }

  /**
   * Takes the row that an earlier server of this name left, where there is one, and its tool names with it. Grants go
   * by these names, so an agent's server that takes them waits for a person in any case.
   */
  async add(config: ServerConfig, options: { isPending: boolean; addedBy: string | null }): Promise<void> {
    const { servers } = this.#deps.store;
    const existing = await servers.byName(config.name);
    const row = existing ?? this.#blank(config.name);
    const { addedBy } = options;
    const isPending = options.isPending || (addedBy !== null && existing !== undefined);
    const record: ServerRecord = {
      ...row,
      ...storedForm(row.id, config, this.#deps.vault),
      origin: "stored",
      status: isPending ? "pending_approval" : "active",
      approvedFingerprint: null,
      addedBy,
      ...NOTHING_FOUND,
      updatedAt: this.#deps.clock(),
    };
    if (existing) await servers.update(row.id, record);
    else await servers.create(record);
    if (isPending) await this.#notices.ask(record, `The agent ${addedBy} added it.`);
  }

  /** `agent` is absent when a person changes the server. */
  async change(
    definition: Definition,
    name: string,
    input: ServerInput,
    agent?: { readonly name: string; readonly requireApproval: boolean },
  ): Promise<void> {
    const { record, config } = definition;
    if (config.source !== "stored") return await this.#switch(definition, name, input, agent !== undefined);
    const given = changedConfig(config, name, input);
    const moved = reachChanged(config, given);
    // How far a server is trusted was decided for what ran before.
    const changed = agent && moved ? { ...given, trusted: false } : given;
    const decided = agent
      ? decidedByAgent(definition, moved || name !== record.name, agent.requireApproval)
      : decidedByPerson(definition, changed);
    const stored = storedForm(record.id, changed, this.#deps.vault);
    const forgotten = moved ? NOTHING_FOUND : {};
    const updatedAt = this.#deps.clock();
    await this.#deps.store.servers.update(record.id, {
      name,
      ...stored,
      ...forgotten,
      ...decided,
      updatedAt,
    });
    if (agent && decided.status === "pending_approval") {
      const what = [...(name === record.name ? [] : ["name"]), ...reachKeys(config, changed)].join(", ");
      await this.#notices.end(record);
      await this.#notices.ask({ ...record, name }, changedBy(agent.name, what, changed));
    }
  }

  /** `changedAt` is what the person looked at; throws BAD_REQUEST when the server is no longer that. */
  async approve({ record, config }: Definition, { changedAt }: { changedAt?: number } = {}): Promise<void> {
    if (changedAt !== undefined && changedAt !== record.updatedAt) {
      throw new ToolkeepError(
        "BAD_REQUEST",
        `the server ${JSON.stringify(record.name)} was changed after you looked at it: look again, then approve`,
      );
    }
    await this.#deps.store.servers.update(record.id, {
      status: "active",
      approvedFingerprint: fingerprint(config),
      updatedAt: this.#deps.clock(),
    });
    await this.#notices.end(record);
  }

  /** The row stays, empty: people who remove a server and add it again expect their toolboxes to fit. */
  async remove({ record, config }: Definition): Promise<void> {
    if (config.source !== "stored") throw declaredInFile(config);
    const emptied = { ...NOTHING_KNOWN, origin: "file", updatedAt: this.#deps.clock() } as const;
    await this.#deps.store.servers.replaceTools(record.id, []);
    await this.#deps.store.servers.replaceOffers(record.id, []);
    await this.#deps.store.servers.update(record.id, emptied);
    await this.#notices.end(record);
  }

  /** Of a server that a file declares, a person can only say whether it takes part. */
  async #switch(
    { record, config }: Definition,
    name: string,
    { enabled, ...others }: ServerInput,
    isAgent: boolean,
  ): Promise<void> {
    const changesMore = name !== record.name || Object.values(others).some((value) => value !== undefined);
    if (changesMore || isAgent) throw declaredInFile(config);
    const updatedAt = this.#deps.clock();
    await this.#deps.store.servers.update(record.id, { enabled: enabled ?? record.enabled, updatedAt });
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
      prefix: prefixOf(name),
      origin: "stored",
      ...NOTHING_KNOWN,
      createdAt: now,
      updatedAt: now,
    };
  }
}

type Decided = Partial<Pick<ServerRecord, "status" | "approvedFingerprint">>;

/** What a person has vouched for waits for a person again, whatever the setting says about servers agents add. */
function decidedByAgent(
  { record, personNamed }: Definition,
  matters: boolean,
  requireApproval: boolean,
): Decided {
  const waits = matters && (requireApproval || personNamed || record.status === "pending_approval");
  return waits ? { status: "pending_approval" } : {};
}

/** A person who changes how an agent's server is reached vouches for it; a change of anything else says nothing. */
function decidedByPerson({ record, config, personNamed }: Definition, changed: ServerConfig): Decided {
  const vouches = personNamed || reachChanged(config, changed);
  const isBound = record.addedBy !== null && record.status === "active";
  return isBound && vouches ? { approvedFingerprint: fingerprint(changed) } : {};
}

function changedBy(agent: string, what: string, { env, headers, oauth }: ServerConfig): string {
  const hasSecrets =
    Object.keys(env).length + Object.keys(headers).length > 0 || oauth?.clientSecret || oauth?.privateKey;
  const secrets = hasSecrets ? " It would get the stored env, header and OAuth values." : "";
  return `The agent ${agent} changed its ${what}.${secrets}`;
}

function declaredInFile({ name, source }: ServerConfig): ToolkeepError {
  return new ToolkeepError(
    "READ_ONLY",
    `the server ${JSON.stringify(name)} is declared in the ${source} settings file: change it there; only enabled can be changed here`,
  );
}
