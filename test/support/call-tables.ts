import { callStore } from "../../src/call/audit/call-table.ts";
import { auditStore } from "../../src/call/audit/chain/audit-table.ts";
import { OutputTable } from "../../src/call/executor/tables.ts";
import { ToolUseTable } from "../../src/call/search/tables.ts";
import { AttachmentTable } from "../../src/features/people/tables.ts";
import type { Store } from "../../src/machine/db/store.ts";

/** The tables of calls, the audit, kept outputs, uses of tools and attachments. */
export function callTables({ database }: Pick<Store, "database">) {
  return {
    calls: callStore(database),
    audit: auditStore(database),
    outputs: new OutputTable(database),
    toolUses: new ToolUseTable(database),
    attachments: new AttachmentTable(database),
  };
}
