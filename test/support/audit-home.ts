import { Audit, type AuditDeps } from "../../src/call/audit/audit.ts";
import type { Acknowledgement } from "../../src/call/audit/audit-checks.ts";
import type { ToolCall } from "../../src/contract/tool.ts";
import type { StoreDump } from "../../src/machine/db/store.ts";
import { tempStore } from "./temp-store.ts";
import { testChain } from "./test-chain.ts";
import { testCaller } from "./tools.ts";

export type Rows = Record<string, unknown>[];
export interface AuditTables {
  calls: Rows;
  auditEntries: Rows;
  auditChains: Rows;
  auditKey: Rows;
}

export const call: ToolCall = {
  name: "read_file",
  arguments: { path: "x" },
  caller: testCaller(),
  via: "mcp",
};

/** A home with `calls` calls in its audit, at the places from 2 on, behind the opening. */
export async function auditHome(calls: number, clock = () => 5) {
  const temp = await tempStore();
  const open = (more: Partial<AuditDeps> = {}) =>
    Audit.open({ ...testChain(temp), clock, redact: (text) => text, onLost: () => {}, ...more });
  const first = await open();
  for (let i = 0; i < calls; i++) first.begin(`call_${i}`, call).end("ok", 1, null);
  await first.close();
  return {
    store: temp.store,
    home: temp.home,
    open,
    /** What somebody without the key does to the database. */
    async tamper(change: (tables: AuditTables) => void) {
      const dump = structuredClone(await temp.store.dump()) as unknown as StoreDump & { tables: AuditTables };
      change(dump.tables);
      await temp.store.load(dump);
    },
    /** What a process finds that begins now; with a reason, after it was acknowledged. */
    async found(reason?: string) {
      const audit = await open();
      const result = await checked(audit, reason === undefined ? undefined : { actor: "ada", reason });
      await audit.close();
      return result;
    },
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

export async function checked(audit: Audit, acknowledgement?: Acknowledgement) {
  audit.checks.start(acknowledgement);
  const { result, error } = (await audit.checks.ended())!;
  if (!result) throw new Error(error);
  return result;
}

/** Takes those out for which it is so. */
export function removeRows(rows: Rows, isOne: (row: Record<string, unknown>) => boolean): void {
  rows.splice(0, rows.length, ...rows.filter((row) => !isOne(row)));
}

/** A copy of a call that stands in no chain. */
export function outside(rows: Rows, id: string): void {
  rows.push({ ...rows.at(-1)!, id, chain: null, seq: null, mac: null });
}
