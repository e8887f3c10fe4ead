import { defineTable } from "../../contract/define-table.ts";
import { type Database, unlessTaken } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { type SourceRecord, source } from "./contract.ts";

export const sources = defineTable({
  name: "sources",
  noun: "source",
  record: source,
  announces: "sources",
});

export class SourceTable {
  readonly #records: Records<typeof sources>;

  constructor(database: Database) {
    this.#records = new Records(database, sources);
  }

  /** By name. */
  list(): Promise<SourceRecord[]> {
    return this.#records.list(["name"]);
  }

  byName(name: string): Promise<SourceRecord | undefined> {
    return this.#records.find({ name });
  }

  /** Throws NAME_TAKEN. */
  async create(record: SourceRecord): Promise<void> {
    await unlessTaken(`A source named "${record.name}"`, this.#records.insert(record));
  }

  /** Throws NAME_TAKEN and NOT_FOUND. */
  async update(id: string, change: Partial<Omit<SourceRecord, "id" | "createdAt">>): Promise<void> {
    await unlessTaken(`A source named "${change.name}"`, this.#records.mustUpdate({ id }, change));
  }

  /** Throws NOT_FOUND. */
  delete(id: string): Promise<void> {
    return this.#records.delete({ id });
  }
}
