import { firstTables } from "./0001-first-tables.ts";
import { serverOffers } from "./0002-server-offers.ts";
import { consents } from "./0003-consents.ts";
import { replicas } from "./0004-replicas.ts";
import { scouts } from "./0005-scouts.ts";
import { projects } from "./0006-projects.ts";
import { memories } from "./0007-memories.ts";
import { customTools } from "./0008-custom-tools.ts";
import { plugins } from "./0009-plugins.ts";
import { outputs } from "./0010-outputs.ts";
import { embeddings } from "./0011-embeddings.ts";
import { activations } from "./0012-activations.ts";
import { toolUses } from "./0013-tool-uses.ts";
import type { Migration } from "./migration.ts";

/** In order; the schema version is the count of them. Append only. */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  serverOffers,
  consents,
  replicas,
  scouts,
  projects,
  memories,
  customTools,
  plugins,
  outputs,
  embeddings,
  activations,
  toolUses,
];

export const SCHEMA_VERSION = MIGRATIONS.length;
