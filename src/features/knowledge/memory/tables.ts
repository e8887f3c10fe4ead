import { defineTable, type RowOf } from "../../../contract/define-table.ts";
import { memory, memoryVersion } from "./contract.ts";

export const memories = defineTable({ name: "memories", noun: "memory", record: memory });
export const memoryVersions = defineTable({
  name: "memoryVersions",
  noun: "version of a memory",
  record: memoryVersion,
});

export interface MemoryRows {
  memories: RowOf<typeof memories>;
  memoryVersions: RowOf<typeof memoryVersions>;
}
