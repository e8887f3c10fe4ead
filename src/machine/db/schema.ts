export type { Column, Kind } from "./query/column.ts";

/** What Kysely sees of the tables that the store keeps for itself. `knowledgeMigrations` belongs to the index of documents. */
export interface Schema {
  migrations: { version: number; name: string; appliedAt: number };
  knowledgeMigrations: Schema["migrations"];
  featureMigrations: { feature: string; number: number; name: string; appliedAt: number };
  /** One row; see `Store.revision`. */
  revision: { id: number; value: number };
}
