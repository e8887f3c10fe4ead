import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { type Database, mustAffect, withTables } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { codecOf } from "../../machine/db/query/row.ts";
import {
  type ContentLabelRecord,
  claim,
  contentLabel,
  conversationLabel,
  type LabelRecord,
  type RuleRecord,
  storedRule,
} from "./contract.ts";

/** The database deletes the rules of an agent with the agent. */
const rules = defineTable({ name: "rules", noun: "rule", record: storedRule, announces: "rules" });
const labels = defineTable({
  name: "labels",
  noun: "labelled conversation",
  record: conversationLabel,
  announces: "labels",
});
const contentLabels = defineTable({
  name: "contentLabels",
  noun: "labelled content",
  record: contentLabel,
});
const claims = defineTable({ name: "claims", noun: "claim", record: claim });

export const TABLES = [rules, labels, contentLabels, claims];

interface Rows {
  rules: RowOf<typeof rules>;
  labels: RowOf<typeof labels>;
  contentLabels: RowOf<typeof contentLabels>;
  claims: RowOf<typeof claims>;
}

const MAX_RULES = 20_000;

/** Stored rules. Every process notices a change. */
export class RuleTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof rules>;
  readonly #unannounced: Records<typeof rules>;
  readonly #codec = codecOf(rules);

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, rules);
    this.#unannounced = new Records(database, { ...rules, announces: null });
  }

  /** In the order they were made; at most 20,000. */
  async list(): Promise<RuleRecord[]> {
    const rows = await this.#database.query((db) =>
      db.selectFrom("rules").selectAll().orderBy("createdAt").orderBy("id").limit(MAX_RULES).execute(),
    );
    return rows.map(this.#codec.toRecord);
  }

  async create(rule: RuleRecord): Promise<void> {
    await this.#records.insert(rule);
  }

  /** Replaces the rule with the same id; throws NOT_FOUND. */
  async replace({ id, ...change }: RuleRecord): Promise<void> {
    mustAffect(BigInt(await this.#records.update({ id }, change)), `rule ${id}`);
  }

  /** Throws NOT_FOUND. */
  delete(id: string): Promise<void> {
    return this.#records.delete({ id });
  }

  /** Deletes rules that expired before `before`. Not announced, because every process notices the end of a rule itself. */
  prune(before: number, limit: number): Promise<number> {
    return this.#unannounced.prune("expiresAt", before, limit);
  }
}

/** Labels of conversations. Every process notices a change. */
export class LabelTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof labels>;
  readonly #unannounced: Records<typeof labels>;
  readonly #codec = codecOf(labels);

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, labels);
    this.#unannounced = new Records(database, { ...labels, announces: null });
  }

  /** Those labelled at this time or later, oldest first; if there are more than `limit`, the newest. */
  async list(since: number, limit: number): Promise<LabelRecord[]> {
    const rows = await this.#database.query((db) =>
      db
        .selectFrom("labels")
        .selectAll()
        .where("labelledAt", ">=", since)
        .orderBy("labelledAt", "desc")
        .orderBy("id")
        .limit(limit)
        .execute(),
    );
    return rows.reverse().map((row) => {
      const { id: _, ...record } = this.#codec.toRecord(row);
      return record;
    });
  }

  /** The conversation has exactly these labels from now on. */
  put(record: LabelRecord): Promise<void> {
    const id = `${record.agentId} ${record.conversation}`;
    return this.#records.put({ id, ...record });
  }

  /** Not announced, because every process notices the age of labels itself. */
  prune(before: number, limit: number): Promise<number> {
    return this.#unannounced.prune("labelledAt", before, limit);
  }
}

/** This many ids fit into one query of either database. */
const IDS_PER_QUERY = 500;

/** Labels of what agents wrote. */
export class ContentLabelTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof contentLabels>;
  readonly #codec = codecOf(contentLabels);

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, contentLabels);
  }

  /** Those of these ids that have labels. */
  async get(ids: readonly string[]): Promise<ContentLabelRecord[]> {
    const found: ContentLabelRecord[] = [];
    for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
      const some = ids.slice(start, start + IDS_PER_QUERY);
      const rows = await this.#database.query((db) =>
        db.selectFrom("contentLabels").selectAll().where("id", "in", some).execute(),
      );
      found.push(...rows.map(this.#codec.toRecord));
    }
    return found;
  }

  /** They have exactly these labels from now on; all of them are written, or none. */
  async put(records: readonly ContentLabelRecord[]): Promise<void> {
    await this.#database.transact(async (db) => {
      for (const record of records) {
        const row = this.#codec.toRow(record);
        const { labels, labelledAt } = row;
        await db
          .insertInto("contentLabels")
          .values(row)
          .onConflict((conflict) => conflict.column("id").doUpdateSet({ labels, labelledAt }))
          .execute();
      }
    });
  }

  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("labelledAt", before, limit);
  }
}

/** What may happen only once, whichever process it comes to. */
export class ClaimTable {
  readonly #database: Database<Rows>;
  readonly #records: Records<typeof claims>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, claims);
  }

  /** True for the first who takes this id, false for everybody after. It may be forgotten after `expiresAt`. */
  async take(id: string, expiresAt: number): Promise<boolean> {
    const result = await this.#database.query((db) =>
      db
        .insertInto("claims")
        .values({ id, expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst(),
    );
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }

  /** Only for whoever took it and has certainly made no use of it: somebody else may take it then. */
  async giveBack(id: string): Promise<void> {
    await this.#records.deleteAny({ id });
  }

  prune(before: number, limit: number): Promise<number> {
    return this.#records.prune("expiresAt", before, limit);
  }
}
