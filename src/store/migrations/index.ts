import { firstTables } from "./0001-first-tables.ts";
import { serverOffers } from "./0002-server-offers.ts";
import type { Migration } from "./migration.ts";

/** In order; the schema version is the count of them. Append only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, serverOffers];

export const SCHEMA_VERSION = MIGRATIONS.length;
