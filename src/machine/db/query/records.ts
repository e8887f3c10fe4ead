import { type Kysely, sql, type Transaction } from "kysely";
import type { RowOf, Table } from "../../../contract/define-table.ts";
import type { Infer } from "../../../contract/shape.ts";
import { type Database, mustAffect, mustBeIn, withTables } from "../database.ts";
import type { ChangeKind } from "../sharing.ts";
import { bounded, type Page, type PageRequest } from "./page.ts";
import { codecOf, type RowCodec } from "./row.ts";

/** The type of one table for queries, under a fixed name. */
interface OneTable<T extends Table> {
  rows: RowOf<T>;
}
type RecordOf<T extends Table> = Infer<T["record"]>;
/** Columns that have to have these values; null too. */
export type Where<T extends Table> = Partial<RowOf<T>>;
/** `-createdAt`: the greatest first. */
export type Order<T extends Table> = (keyof RowOf<T> & string) | `-${keyof RowOf<T> & string}`;
type Condition = ReturnType<typeof sql<boolean>>;

/** The rows of one table, for what every noun needs. What it lacks is asked of the database directly. */
export class Records<T extends Table> {
  readonly #database: Database<OneTable<T>>;
  readonly #table: T;
  readonly #codec: RowCodec<RecordOf<T>, RowOf<T>>;

  constructor(database: Database, table: T) {
    this.#database = withTables(database);
    this.#table = table;
    this.#codec = codecOf(table);
  }

  async find(where: Where<T>): Promise<RecordOf<T> | undefined> {
    const row = await this.#database.query((db) => this.#select(db, where).selectAll().executeTakeFirst());
    return row && this.#codec.toRecord(row as RowOf<T>);
  }

  /** Every row: for tables that are read as a whole. */
  async list(order: readonly Order<T>[], where: Where<T> = {}): Promise<RecordOf<T>[]> {
    const rows = await this.#database.query((db) =>
      this.#ordered(this.#select(db, where).selectAll(), order).execute(),
    );
    return rows.map((row) => this.#codec.toRecord(row as RowOf<T>));
  }

  /** A part of the rows and how many there are in all. */
  async page(
    where: Where<T>,
    order: readonly Order<T>[],
    page: PageRequest,
    conditions: readonly Condition[] = [],
  ): Promise<Page<RecordOf<T>>> {
    const { limit, offset } = bounded(page);
    const [rows, count] = await Promise.all([
      this.#database.query((db) => {
        const query = this.#ordered(this.#select(db, where, conditions).selectAll(), order);
        return query.limit(limit).offset(offset).execute();
      }),
      this.#database.query((db) =>
        this.#select(db, where, conditions)
          .select((select) => select.fn.countAll<number>().as("total"))
          .executeTakeFirstOrThrow(),
      ),
    ]);
    return { items: rows.map((row) => this.#codec.toRecord(row as RowOf<T>)), total: count.total as number };
  }

  /** How many rows each value of a column has, of these values. */
  async counts(column: keyof RowOf<T> & string, values: readonly string[]): Promise<Map<string, number>> {
    if (values.length === 0) return new Map();
    const { rows } = await this.#database.query((db) =>
      sql<{ value: string; count: number }>`
        select ${sql.ref(column)} as value, count(*) as count from ${sql.table(this.#table.name)}
        where ${sql.ref(column)} in (${sql.join(values)}) group by ${sql.ref(column)}`.execute(db),
    );
    return new Map(rows.map(({ value, count }) => [value, count]));
  }

  /** False where `most` rows have the values of `among` already, whatever other processes insert meanwhile. */
  insert(record: RecordOf<T>, { most, among = {} }: Room<T> = {}): Promise<boolean> {
    const inserted = this.insertMade(() => Promise.resolve(record), { most, among });
    return inserted.then((made) => made !== undefined);
  }

  /** The same for a record that is made in the transaction that inserts it. */
  insertMade(
    make: (db: Transaction<OneTable<T>>) => Promise<RecordOf<T>>,
    { most, among = {} }: Room<T> = {},
  ): Promise<RecordOf<T> | undefined> {
    return this.#write(async (db) => {
      if (most !== undefined && !(await this.#hasRoom(db, most, among))) return undefined;
      const record = await make(db);
      await db
        .insertInto(this.#name)
        .values(this.#codec.toRow(record) as never)
        .execute();
      return record;
    });
  }

  /**
   * Changes a row and raises its revision. Undefined when it no longer has the `revision` that the change was made for;
   * throws NOT_FOUND when there is no such row.
   */
  change(id: string, change: Partial<RecordOf<T>>, revision?: number): Promise<RecordOf<T> | undefined> {
    return this.#write(async (db) => {
      const row = this.#codec.toChange(change) as Record<string, unknown>;
      const changed = await db
        .updateTable(this.#name)
        .set({ ...row, revision: sql`revision + 1` } as never)
        .where(sql.ref("id"), "=", id)
        .$if(revision !== undefined, (query) => query.where(sql.ref("revision"), "=", revision!))
        .returningAll()
        .executeTakeFirst();
      if (changed) return this.#codec.toRecord(changed as RowOf<T>);
      const found = await this.#select(db, { id } as Where<T>)
        .selectAll()
        .executeTakeFirst();
      mustAffect(found ? 1n : 0n, `${this.#table.noun} ${id}`);
      return undefined;
    });
  }

  /** Inserts the record, or replaces the one with the same key except for the columns of `keep`. */
  async put(
    record: RecordOf<T>,
    { keep = [] }: { readonly keep?: readonly (keyof RowOf<T> & string)[] } = {},
  ) {
    const row = this.#codec.toRow(record) as Record<string, unknown>;
    const kept = new Set<string>([...this.#table.key, ...keep]);
    const change = Object.fromEntries(Object.entries(row).filter(([column]) => !kept.has(column)));
    await this.#write((db) =>
      db
        .insertInto(this.#name)
        .values(row as never)
        .onConflict((conflict) => conflict.columns(this.#table.key as never).doUpdateSet(change as never))
        .execute(),
    );
  }

  /** Changes the rows with these values; resolves with how many there are. */
  async update(where: Where<T>, change: Partial<RecordOf<T>>): Promise<number> {
    return Number(await this.#write((db) => this.#updateIn(db, where, change)));
  }

  /** The same; throws NOT_FOUND where there is none. */
  async mustUpdate(where: Where<T>, change: Partial<RecordOf<T>>): Promise<void> {
    // Inside the transaction: what changed nothing is not announced.
    await this.#write(async (db) => mustAffect(await this.#updateIn(db, where, change), this.#named(where)));
  }

  /** Changes the row with these values. Throws NOT_FOUND; with `since`, CHANGED if its `updatedAt` is another by now. */
  async updateUnchanged(where: Where<T>, change: Partial<RecordOf<T>>, since?: number): Promise<void> {
    const unchanged = since === undefined ? {} : { updatedAt: since };
    await this.#write(async (db) => {
      // With the key, because an update has to set something.
      const updated = await this.#updateIn(db, { ...where, ...unchanged }, { ...where, ...change });
      if (updated === 0n) {
        const found = await this.#select(db, where).selectAll().executeTakeFirst();
        mustBeIn(since, (found as { updatedAt: number } | undefined)?.updatedAt, this.#named(where));
      }
      mustAffect(updated, this.#named(where));
    });
  }

  /** Deletes the rows with these values; throws NOT_FOUND where there is none. */
  async delete(where: Where<T>): Promise<void> {
    await this.#write(async (db) => mustAffect(await this.#deleteIn(db, where), this.#named(where)));
  }

  /** The same, whether there are any or not; resolves with how many there were. */
  async deleteAny(where: Where<T>): Promise<number> {
    return Number(await this.#write((db) => this.#deleteIn(db, where)));
  }

  /**
   * Deletes rows whose `column`, a time, is before `before`: oldest first, at most `limit`; resolves with how many that were.
   * Null is never before. For tables with one key.
   */
  async prune(column: keyof RowOf<T> & string, before: number, limit: number): Promise<number> {
    const [key, time] = [sql.ref(this.#table.key[0]!), sql.ref(column)];
    const due = await this.#database.query((db) =>
      sql<{ key: unknown }>`
        select ${key} as key from ${sql.table(this.#table.name)}
        where ${time} < ${before} order by ${time} limit ${limit}`.execute(db),
    );
    if (due.rows.length === 0) return 0;
    // The time is looked at again, because the row may have been renewed since.
    const { numAffectedRows } = await this.#write((db) =>
      sql`delete from ${sql.table(this.#table.name)}
        where ${key} in (${sql.join(due.rows.map((row) => row.key))}) and ${time} < ${before}`.execute(db),
    );
    return Number(numAffectedRows);
  }

  async #updateIn(
    db: Transaction<OneTable<T>>,
    where: Where<T>,
    change: Partial<RecordOf<T>>,
  ): Promise<bigint> {
    const update = db.updateTable(this.#name).set(this.#codec.toChange(change) as never);
    const conditions = conditionsOf(where);
    const result = await conditions.reduce((query, each) => query.where(each), update).executeTakeFirst();
    return result.numUpdatedRows;
  }

  async #deleteIn(db: Transaction<OneTable<T>>, where: Where<T>): Promise<bigint> {
    const conditions = conditionsOf(where);
    const deletion = db.deleteFrom(this.#name);
    const result = await conditions.reduce((query, each) => query.where(each), deletion).executeTakeFirst();
    return result.numDeletedRows;
  }

  #named(where: Where<T>): string {
    return `${this.#table.noun} ${Object.values(where).join(" ")}`;
  }

  /** In a transaction, of which other processes are told where the table announces its changes. */
  #write<R>(work: (db: Transaction<OneTable<T>>) => Promise<R>): Promise<R> {
    const { announces } = this.#table;
    return announces === null
      ? this.#database.transact(work)
      : this.#database.change(announces as ChangeKind, work);
  }

  /** Other writers wait until the transaction ends. */
  async #hasRoom(db: Transaction<OneTable<T>>, most: number, among: Where<T>): Promise<boolean> {
    const place = [this.#table.name, ...Object.values(among)].join(" ");
    await this.#database.dialect.sharing.lock(db as never, place);
    const { total } = await this.#select(db, among)
      .select((select) => select.fn.countAll<number>().as("total"))
      .executeTakeFirstOrThrow();
    return (total as number) < most;
  }

  #ordered<Q extends { orderBy(column: ReturnType<typeof sql.ref>, direction: "asc" | "desc"): Q }>(
    query: Q,
    order: readonly Order<T>[],
  ): Q {
    return order.reduce(
      (ordered, each) => ordered.orderBy(sql.ref(each.replace(/^-/, "")), directionOf(each)),
      query,
    );
  }

  get #name(): "rows" {
    return this.#table.name as "rows";
  }

  #select(db: Kysely<OneTable<T>>, where: Where<T>, conditions: readonly Condition[] = []) {
    return [...conditionsOf(where), ...conditions].reduce(
      (query, condition) => query.where(condition),
      db.selectFrom(this.#name),
    );
  }
}

/** How many rows there may be, of those that have the same values. */
interface Room<T extends Table> {
  readonly most?: number | undefined;
  readonly among?: Where<T>;
}

function conditionsOf(where: object): Condition[] {
  return Object.entries(where).map(([column, value]) =>
    value === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${value}`,
  );
}

function directionOf(order: string): "asc" | "desc" {
  return order.startsWith("-") ? "desc" : "asc";
}
