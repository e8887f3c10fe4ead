import type { Caller, Role, TokenScope } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Events } from "../../contract/events.ts";
import { checkName } from "../../contract/names.ts";
import type { Clock } from "../../lib/clock.ts";
import { RateLimits } from "../../lib/flow/rate-limits.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { NewId } from "../../lib/id.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Store } from "../../machine/db/store.ts";
import { agentCaller, OPERATOR, type OperatorInfo, operatorCaller, refreshCaller } from "./callers.ts";
import { checkParent, isHeadless, SCOUT_TOOLBOX } from "./context.ts";
import type { AgentInput, AgentRecord, NewAgent, NewToken, TokenRecord } from "./contract.ts";
import { checkScopes } from "./scopes.ts";
import { AgentTable, TokenTable } from "./tables.ts";
import { hashToken, looksLikeToken, newToken } from "./token.ts";

export { OPERATOR };

export interface IdentityDeps {
  readonly store: Pick<Store, "database">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** A token without its hash, which never leaves `Identity`. */
export type VisibleToken = Omit<TokenRecord, "hash">;

/** Who a bearer token stands for. */
export type Principal =
  | {
      readonly kind: "admin";
      readonly tokenId: string;
      readonly label: string;
      readonly role: Role;
      readonly requestsPerMinute: number | null;
    }
  | {
      readonly kind: "agent";
      readonly tokenId: string;
      readonly agent: AgentRecord;
      readonly scopes: readonly TokenScope[] | null;
      /** The only path it opens, including what is below; null: every path. */
      readonly resource: string | null;
      /** Null: what the settings say. */
      readonly requestsPerMinute: number | null;
      readonly interactive: boolean;
    };

export type TokenRefusal = "missing" | "unknown" | "expired";

const TOUCH_EVERY_MS = 60_000;
/** Changes and reloads run one at a time: a list read before a change must not overwrite that change. */
const CHANGES = "changes";

/**
 * Agents and their tokens. Everything is held in memory, so that recognising a token needs no read of the store;
 * `reload` reads what other processes changed.
 */
export class Identity {
  readonly #deps: IdentityDeps;
  readonly #agentTable: AgentTable;
  readonly #tokenTable: TokenTable;
  /** Requests, by the id of their token. */
  readonly requests: RateLimits;
  /** Tokens that were not recognised, by the address they came from. */
  readonly failures: RateLimits;
  #agents = new Map<string, AgentRecord>();
  #agentsById = new Map<string, AgentRecord>();
  #tokens = new Map<string, TokenRecord>();
  /** By id: a renewed token keeps its id and gets another hash. */
  readonly #touched = new Map<string, { readonly hash: string; readonly at: number }>();
  readonly #serial = createSerial();

  private constructor(deps: IdentityDeps) {
    this.#deps = deps;
    this.#agentTable = new AgentTable(deps.store.database);
    this.#tokenTable = new TokenTable(deps.store.database);
    this.requests = new RateLimits(deps.clock);
    this.failures = new RateLimits(deps.clock);
  }

  static async open(deps: IdentityDeps): Promise<Identity> {
    const identity = new Identity(deps);
    await identity.reload();
    return identity;
  }

  reload(): Promise<void> {
    return this.#serial(CHANGES, () => this.#read());
  }

  /** Recognises a bearer token by its hash. */
  authenticate(token: string | undefined): Principal | TokenRefusal {
    return token ? this.authenticateHash(hashToken(token)) : "missing";
  }

  /** The same where the hash is already known. */
  authenticateHash(hash: string): Principal | TokenRefusal {
    const record = this.#tokens.get(hash);
    if (!record) return "unknown";
    const now = this.#deps.clock();
    if (record.expiresAt !== null && record.expiresAt <= now) return "expired";
    this.#touch(record, now);
    const { id: tokenId, scopes, resource, requestsPerMinute } = record;
    if (record.kind === "admin") {
      // Tokens from before roles existed have none.
      return { kind: "admin", tokenId, label: record.label, role: record.role ?? "admin", requestsPerMinute };
    }
    const agent = this.#agentsById.get(record.agentId ?? "");
    const { interactive } = record;
    return agent
      ? { kind: "agent", tokenId, agent, scopes, resource, requestsPerMinute, interactive }
      : "unknown";
  }

  /** Whether the store may know the token: another process may have just issued it. */
  mayBeNew(token: string | undefined): token is string {
    return (
      this.#deps.store.database.dialect.name === "postgres" && token !== undefined && looksLikeToken(token)
    );
  }

  /** `authenticate` for an unrecognised token, after looking into the store. */
  async authenticateNew(token: string): Promise<Principal | TokenRefusal> {
    if (await this.#tokenTable.has(hashToken(token))) await this.reload();
    return this.authenticate(token);
  }

  /** Whether a request used this token since it was issued, here or, after `reload`, at another process. */
  wasUsed(token: string, issuedAt: number): boolean {
    const record = this.#tokens.get(hashToken(token));
    if (!record) return false;
    return this.#touched.get(record.id)?.hash === record.hash || (record.lastUsedAt ?? 0) > issuedAt;
  }

  /** The consent that a token was issued for. */
  consentIdOf(token: string): string | undefined {
    return this.#tokens.get(hashToken(token))?.consentId ?? undefined;
  }

  agents(): readonly AgentRecord[] {
    return [...this.#agents.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Throws NOT_FOUND with the nearest name. */
  agent(name: string): AgentRecord {
    const agent = this.#agents.get(name);
    if (agent) return agent;
    const guess = nearest(name, this.#agents.keys());
    throw new ToolkeepError(
      "NOT_FOUND",
      `no agent is named ${name}${guess ? `; did you mean ${guess}?` : ""}`,
      { remedy: "toolkeep agent list shows the agents that exist." },
    );
  }

  agentById(id: string): AgentRecord | undefined {
    return this.#agentsById.get(id);
  }

  /** An agent that was deleted keeps its id as its name. */
  agentName(id: string): string {
    return this.#agentsById.get(id)?.name ?? id;
  }

  /** Whether nobody is asked for the agent, or for one that it works for. */
  isHeadless(agentId: string): boolean {
    return isHeadless(agentId, (id) => this.#agentsById.get(id));
  }

  /** The names of the agents that have a toolbox. */
  agentsWithToolbox(toolbox: string): readonly string[] {
    return this.agents()
      .filter((agent) => agent.toolboxes.includes(toolbox))
      .map((agent) => agent.name);
  }

  createAgent(name: string, input: Omit<NewAgent, "name"> = {}): Promise<AgentRecord> {
    return this.#serial(CHANGES, async () => {
      checkName("agent", name);
      if (name === OPERATOR || this.#agents.has(name)) {
        throw new ToolkeepError("NAME_TAKEN", `an agent named ${name} already exists`);
      }
      const { scout = false } = input;
      const parent = input.parent === undefined ? undefined : this.agent(input.parent);
      checkParent(name, scout, parent);
      const now = this.#deps.clock();
      const agent: AgentRecord = {
        id: this.#deps.newId("agt"),
        name,
        description: input.description ?? "",
        parentId: parent?.id ?? null,
        scout,
        toolboxes: unique(input.toolboxes ?? (scout ? [SCOUT_TOOLBOX] : [])),
        grants: unique(input.grants ?? []),
        folders: input.folders ?? [],
        pins: unique(input.pins ?? []),
        model: input.model ?? null,
        headless: input.headless ?? false,
        localModel: input.localModel ?? false,
        coordinator: input.coordinator ?? false,
        createdAt: now,
        updatedAt: now,
      };
      await this.#agentTable.create(agent);
      return this.#setAgent(name, agent);
    });
  }

  /** With `since`: throws CHANGED if the agent was changed after that time. */
  updateAgent(name: string, input: AgentInput, since?: number): Promise<AgentRecord> {
    return this.#serial(CHANGES, async () => {
      const agent = this.agent(name);
      const change = {
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(input.toolboxes === undefined ? {} : { toolboxes: unique(input.toolboxes) }),
        ...(input.grants === undefined ? {} : { grants: unique(input.grants) }),
        ...(input.folders === undefined ? {} : { folders: input.folders }),
        ...(input.pins === undefined ? {} : { pins: unique(input.pins) }),
        ...(input.model === undefined ? {} : { model: input.model }),
        ...(input.headless === undefined ? {} : { headless: input.headless }),
        ...(input.localModel === undefined ? {} : { localModel: input.localModel }),
        ...(input.coordinator === undefined ? {} : { coordinator: input.coordinator }),
        updatedAt: this.#nextUpdateTime(agent),
      };
      await this.#agentTable.update(agent.id, change, since);
      return this.#setAgent(name, { ...agent, ...change });
    });
  }

  /** Grants an agent one more tool; throws NOT_FOUND if the agent no longer exists. */
  grantTool(agentId: string, tool: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      for (;;) {
        const agent = this.#agentsById.get(agentId);
        if (!agent)
          throw new ToolkeepError("NOT_FOUND", "the agent that asked for the tool no longer exists");
        if (agent.grants.includes(tool)) return;
        const change = { grants: [...agent.grants, tool], updatedAt: this.#nextUpdateTime(agent) };
        try {
          await this.#agentTable.update(agentId, change, agent.updatedAt);
          this.#setAgent(agent.name, { ...agent, ...change });
          return;
        } catch (error) {
          if (!(error instanceof ToolkeepError && error.code === "CHANGED")) throw error;
          // Another process changed the agent; that change is kept.
          await this.#read();
        }
      }
    });
  }

  /** Its tokens stop working; its workspace stays on disk. */
  deleteAgent(name: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      const { id } = this.agent(name);
      const subAgents = this.agents().filter((agent) => agent.parentId === id);
      if (subAgents.length > 0) throw hasSubAgentsError(name, subAgents);
      await this.#agentTable.delete(id);
      await this.#read();
      this.#deps.events.emit("agent.changed", { agent: name });
    });
  }

  tokens(): readonly VisibleToken[] {
    return [...this.#tokens.values()]
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      .map(({ hash: _, ...visible }) => ({ ...visible, lastUsedAt: this.#lastUsed(visible) }));
  }

  /** The token itself is returned only here. */
  createToken(input: NewToken): Promise<{ readonly token: string; readonly record: VisibleToken }> {
    return this.#serial(CHANGES, async () => {
      const scopes = input.scopes === undefined ? null : checkScopes(input.scopes);
      if (input.agent === undefined && (scopes || input.interactive)) {
        const what = scopes ? "no scopes" : "no interactive";
        throw new ToolkeepError("BAD_REQUEST", `an admin token accepts ${what}: it opens /api, not tools`);
      }
      if (input.agent !== undefined && input.role !== undefined) {
        throw new ToolkeepError("BAD_REQUEST", "an agent's token accepts no role: roles are for /api");
      }
      const now = this.#deps.clock();
      const token = newToken();
      const record: TokenRecord = {
        id: this.#deps.newId("tok"),
        kind: input.agent === undefined ? "admin" : "agent",
        agentId: input.agent === undefined ? null : this.agent(input.agent).id,
        label: input.label ?? "",
        hash: hashToken(token),
        hint: token.slice(-4),
        scopes,
        createdAt: now,
        expiresAt: input.expiresInMs === undefined ? null : now + input.expiresInMs,
        lastUsedAt: null,
        consentId: null,
        resource: null,
        requestsPerMinute: input.requestsPerMinute ?? null,
        role: input.agent === undefined ? (input.role ?? "admin") : null,
        interactive: input.interactive ?? false,
      };
      await this.#tokenTable.create(record);
      this.#tokens.set(record.hash, record);
      this.#deps.events.emit("token.changed", { token: record.id, change: "created" });
      const { hash: _, ...visible } = record;
      return { token, record: visible };
    });
  }

  /** A client that got it by a person's consent can no longer renew it. */
  deleteToken(id: string): Promise<void> {
    return this.#serial(CHANGES, async () => {
      await this.#tokenTable.delete(id);
      for (const [hash, token] of this.#tokens) if (token.id === id) this.#tokens.delete(hash);
      this.#deps.events.emit("token.changed", { token: id, change: "revoked" });
    });
  }

  /** The caller for an agent, through a token (or through none, where an admin acts as the agent). */
  callerFor(agent: AgentRecord, through: Parameters<typeof agentCaller>[1]): Caller {
    return agentCaller(agent, through);
  }

  /** The caller with its agent's present grants; undefined: the agent or the token no longer exists. */
  currentCaller(caller: Caller): Caller | undefined {
    const token = [...this.#tokens.values()].find(({ id }) => id === caller.tokenId);
    return refreshCaller(caller, this.#agentsById.get(caller.agentId), token, this.#deps.clock());
  }

  /** See `operatorCaller`. */
  operatorCaller(conversation: string, who?: OperatorInfo): Caller {
    return operatorCaller(conversation, who);
  }

  async #read(): Promise<void> {
    const [agents, tokens] = await Promise.all([this.#agentTable.list(), this.#tokenTable.list()]);
    this.#agents = new Map(agents.map((agent) => [agent.name, agent]));
    this.#agentsById = new Map(agents.map((agent) => [agent.id, agent]));
    this.#tokens = new Map(tokens.map((token) => [token.hash, token]));
  }

  #setAgent(name: string, agent: AgentRecord): AgentRecord {
    this.#agents.set(name, agent);
    this.#agentsById.set(agent.id, agent);
    this.#deps.events.emit("agent.changed", { agent: name });
    return agent;
  }

  /** Always later than the previous change, because this time identifies a change. */
  #nextUpdateTime({ updatedAt }: AgentRecord): number {
    return Math.max(this.#deps.clock(), updatedAt + 1);
  }

  /** Uses are written to the store, not into the records that were read from it. */
  #lastUsed({ id, lastUsedAt }: Pick<TokenRecord, "id" | "lastUsedAt">): number | null {
    return Math.max(lastUsedAt ?? 0, this.#touched.get(id)?.at ?? 0) || null;
  }

  #touch({ id, hash }: Pick<TokenRecord, "id" | "hash">, now: number): void {
    const last = this.#touched.get(id);
    // After the clock was set back, the time of use must still advance.
    if (last?.hash === hash && Math.abs(now - last.at) < TOUCH_EVERY_MS) return;
    this.#touched.set(id, { hash, at: now });
    // A token that another process has just deleted is no reason to fail the request.
    this.#tokenTable.touch(id, now).catch(() => this.#touched.delete(id));
  }
}

/** Without its parent a sub-agent would become a main agent and gain tools that only those may have. */
function hasSubAgentsError(name: string, subAgents: readonly AgentRecord[]): ToolkeepError {
  const names = subAgents.map((agent) => agent.name).join(", ");
  return new ToolkeepError("IN_USE", `${name} cannot be deleted: it is the parent of ${names}`);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** Whether a token for the path `resource` opens `path`. Only `/mcp` opens other paths: those below it, and `/rpc`. */
export function opens(resource: string | null, path: string): boolean {
  if (resource === null || resource === "" || resource === path) return true;
  return resource === "/mcp" && (path.startsWith("/mcp/") || path === "/rpc");
}
