import { defineTable, type RowOf } from "../../contract/define-table.ts";
import { auditChain, auditEntry, auditKey, callRecord } from "./contract.ts";

export const calls = defineTable({ name: "calls", noun: "call", record: callRecord });
export const auditChains = defineTable({ name: "auditChains", noun: "audit chain", record: auditChain });
export const auditEntries = defineTable({
  name: "auditEntries",
  noun: "audit entry",
  record: auditEntry,
  key: ["chain", "seq"],
});
const auditKeys = defineTable({
  name: "auditKey",
  noun: "key of the audit",
  record: auditKey,
  sealed: ["sealed"],
  sealedAs: { sealed: "auditKey" },
});

export const TABLES = [calls, auditChains, auditEntries, auditKeys];

/** What queries of the audit see. */
export interface AuditRows {
  calls: RowOf<typeof calls>;
  auditChains: RowOf<typeof auditChains>;
  auditEntries: RowOf<typeof auditEntries>;
  auditKey: RowOf<typeof auditKeys>;
}
