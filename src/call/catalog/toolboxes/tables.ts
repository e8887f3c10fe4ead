import { defineTable, type RowOf } from "../../../contract/define-table.ts";
import { stableJson } from "../../../lib/json.ts";
import { type Database, unlessTaken, withTables } from "../../../machine/db/database.ts";
import { Records } from "../../../machine/db/query/records.ts";
import { codecOf } from "../../../machine/db/query/row.ts";
import { type ToolboxRecord, toolbox } from "./contract.ts";

export const toolboxes = defineTable({
  name: "toolboxes",
  noun: "toolbox",
  record: toolbox,
  key: ["name"],
  announces: "toolboxes",
});

export class ToolboxTable {
  readonly #database: Database<{ toolboxes: RowOf<typeof toolboxes> }>;
  readonly #records: Records<typeof toolboxes>;

  constructor(database: Database) {
    this.#database = withTables(database);
    this.#records = new Records(database, toolboxes);
  }

  list(): Promise<ToolboxRecord[]> {
    return this.#records.list(["name"]);
  }

  /** Throws NAME_TAKEN. */
  async create(created: ToolboxRecord): Promise<void> {
    await unlessTaken(`A toolbox named "${created.name}"`, this.#records.insert(created));
  }

  /** With `since`: throws CHANGED if its `updatedAt` is another by now. */
  update(
    name: string,
    change: Partial<Pick<ToolboxRecord, "description" | "tools" | "updatedAt">>,
    since?: number,
  ): Promise<void> {
    return this.#records.updateUnchanged({ name }, change, since);
  }

  delete(name: string): Promise<void> {
    return this.#records.delete({ name });
  }

  /** Creates and updates the built-in toolboxes, and deletes built-in ones that are no longer given. */
  async putBuiltin(builtin: readonly ToolboxRecord[]): Promise<void> {
    const stored = (await this.list()).filter((record) => record.builtin);
    // Called at every start: if nothing is new, no other process should have to look.
    if (fingerprint(stored) === fingerprint(builtin)) return;

    const { toRow, toChange } = codecOf(toolboxes);
    await this.#database.change("toolboxes", async (db) => {
      const names = builtin.map((record) => record.name);
      await db
        .deleteFrom("toolboxes")
        .where("builtin", "=", 1)
        .$if(names.length > 0, (query) => query.where("name", "not in", names))
        .execute();
      for (const { createdAt, ...record } of builtin) {
        await db
          .insertInto("toolboxes")
          .values(toRow({ ...record, createdAt, builtin: true }))
          .onConflict((conflict) =>
            conflict.column("name").doUpdateSet(toChange({ ...record, builtin: true })),
          )
          .execute();
      }
    });
  }
}

/** The content of built-in toolboxes, whenever they were written. */
function fingerprint(records: readonly ToolboxRecord[]): string {
  const contents = records.map(({ name, description, tools }) => ({ name, description, tools }));
  return stableJson(contents.sort((a, b) => (a.name < b.name ? -1 : 1)));
}
