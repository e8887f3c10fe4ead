import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Audit } from "../../../src/call/audit/audit.ts";
import { openAuditKey } from "../../../src/call/audit/chain/audit-key.ts";
import { AuditMark } from "../../../src/call/audit/chain/audit-mark.ts";
import { seal, unseal } from "../../../src/call/vault/seal.ts";
import type { ToolCall } from "../../../src/contract/tool.ts";
import type { StoreDump } from "../../../src/machine/db/store.ts";
import { type FreshStore, postgresStore, sqliteStore, type TestStore } from "../../machine/db/stores.ts";
import { callTables } from "../../support/call-tables.ts";
import { atLength, sampleOf } from "../../support/length.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testChain } from "../../support/test-chain.ts";
import { testCaller } from "../../support/tools.ts";

/** What somebody who has the database and the home, but not the key of the vault, may do. */

type Row = Record<string, unknown>;
type Tables = Record<"calls" | "auditEntries" | "auditChains" | "auditKey", Row[]>;

const call: ToolCall = { name: "read_file", arguments: { path: "a.txt" }, caller: testCaller(), via: "mcp" };
const VAULT_KEY = Buffer.alloc(32, 3);
const CHAINED = ["calls", "auditEntries", "auditChains"] as const;

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe.each<[string, FreshStore, boolean, number]>([
  ["SQLite", sqliteStore, true, 120],
  ["PostgreSQL", postgresStore, hasPostgres(), 20],
])("an audit that was tampered with, on %s", (_, fresh, isThere, rounds) => {
  let t: TestStore;
  let home: Awaited<ReturnType<typeof tempHome>>;
  let whole: StoreDump;
  let head: string;
  let olderHead: string;

  const open = async () => {
    const keyDeps = {
      store: callTables(t.store).audit,
      seal: (plain: string, purpose: string) => seal(plain, purpose, VAULT_KEY),
      unseal: (sealed: Uint8Array, purpose: string) => unseal(sealed, purpose, VAULT_KEY),
      clock: () => 5,
    };
    return Audit.open({
      ...testChain({ store: t.store, home: home.path }),
      key: await openAuditKey(keyDeps),
      mark: new AuditMark(keyDeps),
      redact: (text) => text,
      onLost: () => {},
    });
  };

  const headFile = () => join(home.path, "audit-head");

  /** Two starts later: what is found must not depend on whether anybody wrote in between. */
  async function found(change: (tables: Tables) => void, headText: string | null = head): Promise<number> {
    const dump = structuredClone(whole) as unknown as StoreDump & { tables: Tables };
    change(dump.tables);
    await t.store.load(dump);
    if (headText === null) await rm(headFile(), { force: true });
    else await writeFile(headFile(), headText);
    const audit = await open();
    const first = await problems(audit);
    audit.begin("call_later", call).end("ok", 1, null);
    await audit.close();
    const next = await open();
    const second = await problems(next);
    await next.close();
    return Math.min(first, second);
  }

  beforeAll(async () => {
    if (!isThere) return;
    t = await fresh();
    home = await tempHome();
    const audit = await open();
    await audit.begin("call_1", call).writeIntent();
    audit.begin("call_2", call).end("ok", 2, "é");
    await audit.flush();
    olderHead = await readFile(headFile(), "utf8");
    for (const id of ["call_3", "call_4", "call_5"]) audit.begin(id, call).end("ok", 2, null);
    await audit.note("agent.created", "person:ada", "agt_1", { name: "bob" });
    await audit.close();
    whole = await t.store.dump();
    head = await readFile(headFile(), "utf8");
  });
  afterAll(async () => {
    await t?.[Symbol.asyncDispose]();
    await home?.[Symbol.asyncDispose]();
  });

  it.runIf(isThere)("is as it was written while nobody did anything", async () => {
    expect(await found(() => {})).toBe(0);
  });

  it.runIf(isThere)("a new store has nothing to be found, before and after its first record", async () => {
    expect(
      await found((tables) => {
        for (const rows of Object.values(tables)) rows.length = 0;
      }, null),
    ).toBe(0);
  });

  it.runIf(isThere)("one from before there were marks is taken over, and marked from then on", async () => {
    const { sealed } = (whole.tables as unknown as Tables).auditKey[0]! as { sealed: { $base64: string } };
    const key = unseal(Buffer.from(sealed.$base64, "base64"), "audit-key", VAULT_KEY).split(" ")[0]!;
    const plain = seal(key, "audit-key", VAULT_KEY);
    expect(
      await found(({ auditKey }) => {
        auditKey[0]!.sealed = { $base64: Buffer.from(plain).toString("base64") };
      }),
    ).toBe(0);
    const [after] = await callTables(t.store).audit.keys();
    expect(unseal(after!.sealed, "audit-key", VAULT_KEY)).toContain('{"reached":{"chn_');
  });

  it.runIf(isThere)("is found where everything was removed, with the head", async () => {
    const remove = (tables: Tables) => {
      for (const table of CHAINED) tables[table].length = 0;
    };
    expect(await found(remove, null)).toBeGreaterThan(0);
    expect(await found(remove)).toBeGreaterThan(0);
    expect(await found(remove, olderHead)).toBeGreaterThan(0);
  });

  it.runIf(isThere)("is found where an older head was put back, or none is there", async () => {
    expect(await found(() => {}, olderHead)).toBeGreaterThan(0);
    expect(await found(() => {}, null)).toBeGreaterThan(0);
  });

  it.runIf(isThere)("is found where the newest records went, and the head with them went back", async () => {
    const { seq } = JSON.parse(olderHead);
    const cut = (tables: Tables) => {
      for (const table of ["calls", "auditEntries"] as const)
        tables[table] = tables[table].filter((row) => (row.seq as number) <= seq);
    };
    expect(await found(cut, olderHead)).toBeGreaterThan(0);
  });

  it.runIf(isThere)(
    "is found where the head went while a process runs that has not written yet",
    async () => {
      await found(() => {});
      const audit = await open();
      await rm(headFile());
      expect(await problems(audit)).toBeGreaterThan(0);
      await audit.close();
    },
  );

  it.runIf(isThere && fresh === sqliteStore)("is found where text was put behind a U+0000", async () => {
    for (const table of CHAINED)
      for (const [index, row] of sampleOf([...(whole.tables as unknown as Tables)[table].entries()], 2))
        for (const [column, value] of Object.entries(row)) {
          if (typeof value !== "string" || column === "id" || column === "chain") continue;
          const problems = await found((tables) => {
            tables[table][index]![column] = `${value}\0 and more`;
          });
          expect(problems, `${table} ${index} ${column}`).toBeGreaterThan(0);
        }
  });

  it.runIf(isThere)("is found whatever was done, in generated ways", async () => {
    const next = numbers(19);
    for (let round = 0; round < atLength(rounds, 10); round++) {
      const done: string[] = [];
      const change = (tables: Tables) => {
        for (let count = 1 + next(2); count > 0; count--) done.push(tamper(tables, next));
      };
      const headText = [head, head, null, olderHead][next(4)]!;
      expect(await found(change, headText), `round ${round}: ${done.join(", ")}`).toBeGreaterThan(0);
    }
  });
});

/** Does something to the tables and says what. */
function tamper(tables: Tables, next: (below: number) => number): string {
  const table = CHAINED[next(2)]!;
  const rows = tables[table];
  const index = rows.length === 0 ? -1 : next(rows.length);
  const row = rows[index];
  switch (row ? next(5) : 4) {
    case 0:
      rows.splice(index, 1);
      return `removed ${table} ${index}`;
    case 1: {
      const column = Object.keys(row!).filter((name) => !["id", "chain", "seq"].includes(name))[next(6)]!;
      row![column] =
        typeof row![column] === "number" ? (row![column] as number) + 1 : `${row![column] ?? ""}x`;
      return `changed ${table} ${index} ${column}`;
    }
    case 2: {
      const other = rows.find((each) => each !== row && each.seq !== row!.seq);
      if (other) [row!.mac, other.mac] = [other.mac, row!.mac];
      else rows.splice(index, 1);
      return `swapped in ${table}`;
    }
    case 3: {
      const last = Math.max(...tables.calls.map(({ seq }) => Number(seq)));
      for (const each of ["calls", "auditEntries"] as const)
        tables[each] = tables[each].filter(({ seq }) => Number(seq) < last);
      return `cut at ${last}`;
    }
    default: {
      const gone = CHAINED.filter((_, bit) => (next(7) + 1) & (1 << bit));
      for (const each of gone.length > 0 ? gone : CHAINED) tables[each].length = 0;
      return `emptied ${gone.join(", ")}`;
    }
  }
}

async function problems(audit: Audit): Promise<number> {
  audit.checks.start();
  const state = (await audit.checks.ended())!;
  if (!state.result) throw new Error(state.error);
  return state.result.found;
}
