import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, unlessTaken, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import type { AgentRecord, PersonInput, PersonRecord, TokenRecord } from "./contract.ts";
import * as shapes from "./contract.ts";

export const agents = defineTable({
  name: "agents",
  noun: "agent",
  record: shapes.agent,
  announces: "agents",
});
/** Tokens end with their consents, so other processes are told of tokens. */
export const consents = defineTable({
  name: "consents",
  noun: "consent",
  record: shapes.consent,
  announces: "tokens",
});
export const consentKeys = defineTable({
  name: "consentKeys",
  noun: "key of a consent",
  record: shapes.consentKey,
  key: ["hash"],
});
export const tokens = defineTable({
  name: "tokens",
  noun: "token",
  record: shapes.token,
  announces: "tokens",
});
export const people = defineTable({
  name: "people",
  noun: "person",
  record: shapes.person,
  announces: "people",
});
/** Sessions and codes are not in backups: nobody should be signed in by restoring one. */
export const sessions = defineTable({
  name: "sessions",
  noun: "session",
  record: shapes.session,
  isDumped: false,
  announces: "people",
});
export const loginCodes = defineTable({
  name: "loginCodes",
  noun: "login code",
  record: shapes.loginCode,
  key: ["hash"],
  isDumped: false,
});

/** Each after those it refers to: the reference from tokens to consents is checked at once. */
export const TABLES = [agents, consents, consentKeys, tokens, people, sessions, loginCodes];

export interface IdentityRows {
  agents: RowOf<typeof agents>;
  consents: RowOf<typeof consents>;
  consentKeys: RowOf<typeof consentKeys>;
  tokens: RowOf<typeof tokens>;
  people: RowOf<typeof people>;
  sessions: RowOf<typeof sessions>;
  loginCodes: RowOf<typeof loginCodes>;
}

/** Tables of others that have rows of agents without a reference to them. */
const OWNED_BY_AGENTS = ["todos", "memories", "memoryVersions"] as const;
type OwnedRows = Record<(typeof OWNED_BY_AGENTS)[number], { agentId: string }>;

export class AgentTable {
  readonly #database: Database<IdentityRows & OwnedRows>;
  readonly #records: Records<typeof agents>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, agents);
  }

  list(): Promise<AgentRecord[]> {
    return this.#records.list(["name"]);
  }

  /** Throws NAME_TAKEN. */
  async create(agent: AgentRecord): Promise<void> {
    await unlessTaken(`An agent named "${agent.name}"`, this.#records.insert(agent));
  }

  /** With `since`: throws CHANGED if its `updatedAt` is another by now. */
  async update(
    id: string,
    change: Partial<Omit<AgentRecord, "id" | "createdAt">>,
    since?: number,
  ): Promise<void> {
    await unlessTaken(
      `An agent named "${change.name}"`,
      this.#records.updateUnchanged({ id }, change, since),
    );
  }

  /** Its tokens, activations, to-dos and memories are deleted, too; its sub-agents lose their parent. */
  async delete(id: string): Promise<void> {
    await this.#database.change("agents", async (db) => {
      const { numDeletedRows } = await db.deleteFrom("agents").where("id", "=", id).executeTakeFirst();
      mustAffect(numDeletedRows, `agent ${id}`);
      for (const table of OWNED_BY_AGENTS) await db.deleteFrom(table).where("agentId", "=", id).execute();
    });
  }
}

export class TokenTable {
  readonly #database: Database<IdentityRows>;
  readonly #records: Records<typeof tokens>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, tokens);
  }

  /** Oldest first. */
  list(): Promise<TokenRecord[]> {
    return this.#records.list(["createdAt", "id"]);
  }

  async has(hash: string): Promise<boolean> {
    return (await this.#records.find({ hash })) !== undefined;
  }

  async create(token: TokenRecord): Promise<void> {
    await unlessTaken(`The token ${token.id}`, this.#records.insert(token));
  }

  /** Deletes the consent that it was issued for, too, so that nobody renews it. */
  async delete(id: string): Promise<void> {
    await this.#database.change("tokens", async (db) => {
      const token = await db.selectFrom("tokens").select("consentId").where("id", "=", id).executeTakeFirst();
      mustAffect(token ? 1n : 0n, `token ${id}`);
      if (token?.consentId) await db.deleteFrom("consents").where("id", "=", token.consentId).execute();
      await db.deleteFrom("tokens").where("id", "=", id).execute();
    });
  }

  /** Deletes tokens that expired before a time, oldest first; resolves with their number. */
  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("expiresAt", before, limit);
  }

  /** A token that was deleted during its last call is no error, and the time never goes back. */
  async touch(id: string, at: number): Promise<void> {
    await this.#database.query((db) =>
      db
        .updateTable("tokens")
        .set({ lastUsedAt: at })
        .where("id", "=", id)
        .where((row) => row.or([row("lastUsedAt", "is", null), row("lastUsedAt", "<", at)]))
        .execute(),
    );
  }
}

export class PersonTable {
  readonly #database: Database<IdentityRows>;
  readonly #records: Records<typeof people>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, people);
  }

  list(): Promise<PersonRecord[]> {
    return this.#records.list(["name"]);
  }

  /** Throws NAME_TAKEN. */
  async create(person: PersonRecord): Promise<void> {
    await unlessTaken(`A person named "${person.name}"`, this.#records.insert(person));
  }

  /** Does nothing if somebody has its id or its name already. Other processes are not told. */
  async ensure(person: PersonRecord): Promise<void> {
    await this.#database.query((db) =>
      db
        .insertInto("people")
        .values(codecOf(people).toRow(person))
        // No column is named: of two processes that do this at once, the later may meet the name before the id.
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
  }

  /** A person who is disabled loses every session and login code. */
  async update(id: string, change: PersonInput): Promise<void> {
    const updated = this.#database.change("people", async (db) => {
      const { numUpdatedRows } = await db
        .updateTable("people")
        .set({ ...codecOf(people).toChange(change), id })
        .where("id", "=", id)
        .executeTakeFirst();
      mustAffect(numUpdatedRows, `person ${id}`);
      if (!change.disabled) return;
      for (const table of ["sessions", "loginCodes"] as const)
        await db.deleteFrom(table).where("personId", "=", id).execute();
    });
    await unlessTaken(`A person named "${change.name}"`, updated);
  }

  /** Sessions and login codes go with the person. */
  delete(id: string): Promise<void> {
    return this.#records.delete({ id });
  }
}
