import type { Vault } from "../../call/vault/vault.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import { prefixOf } from "../../lib/tool-name.ts";
import type { ServerConfig } from "../../machine/config/settings.ts";
import type { ServerInput } from "../contract.ts";
import type { ServerRecord } from "../records.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import { ApprovalNotices } from "./approval-notices.ts";
import { type Definition, fingerprint } from "./definition.ts";
import { toStoredForm } from "./sealed-config.ts";
import { applyChange, hasReachChanged, listReachChanges } from "./server-change.ts";

export interface ServerRowsDeps {
  readonly store: Pick<ServerTables, "servers" | "notifications">;
  readonly vault: Pick<Vault, "seal">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Fields that connecting fills. Reset when the server's address or command changes: a sign-in must never reach another address. */
const NOT_CONNECTED_YET = {
  era: null,
  asksBack: false,
  auth: null,
  lastError: null,
  failedAt: null,
} as const satisfies Partial<ServerRecord>;

const EMPTY_ROW = {
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
  ...NOT_CONNECTED_YET,
} as const satisfies Partial<ServerRecord>;

/** The servers in the store, and the only code that changes them on behalf of a person or agent. */
export class ServerRows {
  readonly #deps: ServerRowsDeps;
  readonly #notices: ApprovalNotices;
  #isFirstList = true;

  constructor(deps: ServerRowsDeps) {
    this.#deps = deps;
    this.#notices = new ApprovalNotices(deps);
  }

  /** Lists every row. Creates one for each server that only a file declares, so that its id, prefix and tool names last. */
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
   * Reuses the row and the tool names of an earlier server of this name. Grants refer to these names, so an agent's
   * server that takes them over always needs approval.
   */
  async add(config: ServerConfig, options: { isPending: boolean; addedBy: string | null }): Promise<void> {
    const { servers } = this.#deps.store;
    const existing = await servers.byName(config.name);
    const row = existing ?? this.#createBlank(config.name);
    const { addedBy } = options;
    const isPending = options.isPending || (addedBy !== null && existing !== undefined);
    const record: ServerRecord = {
      ...row,
      ...toStoredForm(row.id, config, this.#deps.vault),
      origin: "stored",
      status: isPending ? "pending_approval" : "active",
      approvedFingerprint: null,
      addedBy,
      ...NOT_CONNECTED_YET,
      updatedAt: this.#deps.clock(),
    };
    if (existing) await servers.update(row.id, record);
    else await servers.create(record);
    if (isPending) await this.#notices.ask(record, `The agent ${addedBy} added it.`);
  }

  /** `agent` is absent if a person changes the server. */
  async change(
    definition: Definition,
    name: string,
    input: ServerInput,
    agent?: { readonly name: string; readonly requireApproval: boolean },
  ): Promise<void> {
    const { record, config } = definition;
    if (config.source !== "stored")
      return await this.#setEnabled(definition, name, input, agent !== undefined);
    const requested = applyChange(config, name, input);
    const isMoved = hasReachChanged(config, requested);
    // Trust was granted to what ran before.
    const changed = agent && isMoved ? { ...requested, trusted: false } : requested;
    const decision = agent
      ? decideForAgent(definition, isMoved || name !== record.name, agent.requireApproval)
      : decideForPerson(definition, changed);
    const stored = toStoredForm(record.id, changed, this.#deps.vault);
    const resets = isMoved ? NOT_CONNECTED_YET : {};
    const updatedAt = this.#deps.clock();
    await this.#deps.store.servers.update(record.id, {
      name,
      ...stored,
      ...resets,
      ...decision,
      updatedAt,
    });
    if (agent && decision.status === "pending_approval") {
      const changedFields = [
        ...(name === record.name ? [] : ["name"]),
        ...listReachChanges(config, changed),
      ].join(", ");
      await this.#notices.end(record);
      await this.#notices.ask({ ...record, name }, describeChange(agent.name, changedFields, changed));
    }
  }

  /** `changedAt` identifies the version that the person saw. Throws BAD_REQUEST if the server has changed since. */
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

  /** Empties the row but keeps it, so that toolboxes still fit if the server is added again. */
  async remove({ record, config }: Definition): Promise<void> {
    if (config.source !== "stored") throw declaredInFileError(config);
    const emptied = { ...EMPTY_ROW, origin: "file", updatedAt: this.#deps.clock() } as const;
    await this.#deps.store.servers.replaceTools(record.id, []);
    await this.#deps.store.servers.replaceOffers(record.id, []);
    await this.#deps.store.servers.update(record.id, emptied);
    await this.#notices.end(record);
  }

  /** A server declared in a file can only be enabled or disabled here. */
  async #setEnabled(
    { record, config }: Definition,
    name: string,
    { enabled, ...others }: ServerInput,
    isAgent: boolean,
  ): Promise<void> {
    const changesMore = name !== record.name || Object.values(others).some((value) => value !== undefined);
    if (changesMore || isAgent) throw declaredInFileError(config);
    const updatedAt = this.#deps.clock();
    await this.#deps.store.servers.update(record.id, { enabled: enabled ?? record.enabled, updatedAt });
  }

  async #createForFile(name: string): Promise<ServerRecord> {
    const { servers } = this.#deps.store;
    const row: ServerRecord = { ...this.#createBlank(name), origin: "file" };
    try {
      await servers.create(row);
      return row;
    } catch (error) {
      // Another process on the same store may have created the row from the same file at the same time.
      const existing = await servers.byName(name);
      if (existing) return existing;
      throw error;
    }
  }

  #createBlank(name: string): ServerRecord {
    const now = this.#deps.clock();
    return {
      id: this.#deps.newId("srv"),
      name,
      prefix: prefixOf(name),
      origin: "stored",
      ...EMPTY_ROW,
      createdAt: now,
      updatedAt: now,
    };
  }
}

type ApprovalDecision = Partial<Pick<ServerRecord, "status" | "approvedFingerprint">>;

/** A change to a server that a person vouched for needs approval again, whatever `requireApproval` says. */
function decideForAgent(
  { record, isPersonNamed }: Definition,
  isSignificant: boolean,
  requireApproval: boolean,
): ApprovalDecision {
  const mustWait =
    isSignificant && (requireApproval || isPersonNamed || record.status === "pending_approval");
  return mustWait ? { status: "pending_approval" } : {};
}

/** A person who changes how an agent's server is reached vouches for it; other changes do not. */
function decideForPerson(
  { record, config, isPersonNamed }: Definition,
  changed: ServerConfig,
): ApprovalDecision {
  const isVouchedFor = isPersonNamed || hasReachChanged(config, changed);
  const isActiveAgentServer = record.addedBy !== null && record.status === "active";
  return isActiveAgentServer && isVouchedFor ? { approvedFingerprint: fingerprint(changed) } : {};
}

function describeChange(agent: string, changedFields: string, { env, headers, oauth }: ServerConfig): string {
  const hasSecrets =
    Object.keys(env).length + Object.keys(headers).length > 0 || oauth?.clientSecret || oauth?.privateKey;
  const secrets = hasSecrets ? " It would get the stored env, header and OAuth values." : "";
  return `The agent ${agent} changed its ${changedFields}.${secrets}`;
}

function declaredInFileError({ name, source }: ServerConfig): ToolkeepError {
  return new ToolkeepError(
    "READ_ONLY",
    `the server ${JSON.stringify(name)} is declared in the ${source} settings file: change it there; only enabled can be changed here`,
  );
}
