import type { Migration } from "../../../../contract/define-table.ts";
import { indexTables } from "./0001-index.ts";
import { sweeping } from "./0002-sweeping.ts";

/** Those of the index, in order, apart from those of the store. Append only. */
export const KNOWLEDGE_MIGRATIONS: readonly Migration[] = [indexTables, sweeping];
