import { firstTables } from "./0001-first-tables.ts";
import { serverOffers } from "./0002-server-offers.ts";
import { consents } from "./0003-consents.ts";
import { replicas } from "./0004-replicas.ts";
import type { Migration } from "./migration.ts";

/** In order; the schema version is the count of them. Append only. */
export const MIGRATIONS: readonly Migration[] = [firstTables, serverOffers, consents, replicas];

export const SCHEMA_VERSION = MIGRATIONS.length;
