import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Audit } from "../../../src/call/audit/audit.ts";
import { ChainKey } from "../../../src/call/audit/chain/chain-code.ts";
import type { ToolCall } from "../../../src/contract/tool.ts";
import type { StoreDump } from "../../../src/machine/db/store.ts";
import { type FreshStore, postgresStore, sqliteStore, type TestStore } from "../../machine/db/stores.ts";
import { callTables } from "../../support/call-tables.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { tempHome } from "../../support/temp-home.ts";
import { testChain } from "../../support/test-chain.ts";
import { testCaller } from "../../support/tools.ts";

type Rows = Record<string, unknown>[];
interface Tables {
  calls: Rows;
  auditEntries: Rows;
  auditChains: Rows;
}

const call: ToolCall = {
  name: "read_file",
  arguments: { path: "\ud800 half, \0 none" },
  caller: testCaller(),
  via: "mcp",
};

/** What somebody without the key does to the database, and what is found. `at`: the places, as far as they are known. */
const TAMPERINGS: Record<string, { change: (tables: Tables) => void; finds: string[]; at: number[] }> = {
  "an outcome that was edited": {
    change: ({ calls }) => set(row(calls, 5), { outcome: "denied" }),
    finds: ["altered"],
    at: [5],
  },
  "an agent that was edited": {
    change: ({ calls }) => set(row(calls, 4), { agentId: "agt_other" }),
    finds: ["altered"],
    at: [4],
  },
  "an empty field that was filled": {
    change: ({ calls }) => set(row(calls, 4), { approvedBy: "ada" }),
    finds: ["altered"],
    at: [4],
  },
  "an intent that was edited": {
    change: ({ auditEntries }) => {
      const intent = row(auditEntries, 2);
      intent.details = String(intent.details).replace("read_file", "grep");
    },
    finds: ["altered"],
    at: [2],
  },
  "the row of a call that has not ended, edited": {
    change: ({ calls }) => set(row(calls, 8), { arguments: "{}" }),
    finds: ["altered"],
    at: [8],
  },
  "the row of a call that has not ended, removed": {
    change: (tables) => remove(tables.calls, 8),
    finds: ["missing"],
    at: [8],
  },
  "what a person did, ascribed to another": {
    change: ({ auditEntries }) => set(row(auditEntries, 9), { actor: "person:eve" }),
    finds: ["altered"],
    at: [9],
  },
  "a record in the middle that was removed": {
    change: ({ calls }) => remove(calls, 5),
    finds: ["missing"],
    at: [5],
  },
  "the newest records, removed": {
    change: ({ calls, auditEntries }) => {
      remove(calls, 10);
      remove(auditEntries, 9);
    },
    finds: ["head", "truncated"],
    at: [10],
  },
  "the oldest records, removed": {
    change: ({ calls, auditEntries }) => {
      remove(auditEntries, 1);
      remove(auditEntries, 2);
      remove(calls, 3);
    },
    finds: ["missing"],
    at: [1],
  },
  "a beginning that was removed with a checkpoint that nobody signed": {
    change: ({ calls, auditEntries, auditChains }) => {
      const { mac } = row(calls, 3);
      remove(auditEntries, 1);
      remove(auditEntries, 2);
      remove(calls, 3);
      Object.assign(auditChains[0]!, { prunedSeq: 3, prunedMac: mac });
    },
    finds: ["altered"],
    at: [],
  },
  "two records in each other's place": {
    change: ({ calls }) => {
      row(calls, 4).seq = -1;
      row(calls, 5).seq = 4;
      row(calls, -1).seq = 5;
    },
    // The third is the one behind them, which follows another one now.
    finds: ["altered", "altered", "altered"],
    at: [4, 5, 6],
  },
  "a record that was added at the end": {
    change: ({ calls }) => void calls.push({ ...row(calls, 10), id: "forged", seq: 11 }),
    finds: ["altered"],
    at: [11],
  },
  "a record that was added beside another": {
    change: ({ auditEntries }) => void auditEntries.push({ ...row(auditEntries, 9), seq: 5 }),
    finds: ["foreign"],
    at: [5],
  },
  "a record that was added outside the chain": {
    change: ({ calls }) =>
      void calls.push({ ...row(calls, 4), id: "forged", chain: null, seq: null, mac: null }),
    finds: ["foreign"],
    at: [],
  },
  "the row of a call that has not ended, taken out of the chain": {
    change: ({ calls }) => set(row(calls, 8), { chain: null, seq: null, mac: null, outcome: "denied" }),
    finds: ["missing", "foreign"],
    at: [8],
  },
  "a chain that nobody began": {
    change: ({ calls }) => void calls.push({ ...row(calls, 4), id: "forged", chain: "chn_eve", seq: 1 }),
    finds: ["foreign"],
    at: [],
  },
  "a chain that was removed whole": {
    change: (tables) => {
      for (const rows of Object.values(tables)) rows.length = 0;
    },
    finds: ["head", "truncated"],
    at: [],
  },
};

/** How codes are made and compared does not depend on the database; what it gives back might. */
const ON_BOTH = [
  "an outcome that was edited",
  "a record in the middle that was removed",
  "the newest records, removed",
  "a record that was added outside the chain",
  "a chain that nobody began",
];

describe.each<[string, FreshStore, boolean]>([
  ["SQLite", sqliteStore, true],
  ["PostgreSQL", postgresStore, hasPostgres()],
])("audit verify, on %s", (_, fresh, isThere) => {
  let t: TestStore;
  let home: Awaited<ReturnType<typeof tempHome>>;
  let whole: StoreDump;
  let head: string;

  beforeAll(async () => {
    if (!isThere) return;
    t = await fresh();
    home = await tempHome();
    const audit = await open();
    const ended = audit.begin("call_1", call);
    await ended.writeIntent();
    ended.end("ok", 1.4, null);
    for (const id of ["call_2", "call_3", "call_4", "call_5"]) audit.begin(id, call).end("ok", 2, "é");
    await audit.flush();
    await audit.begin("call_6", call).writeIntent();
    await audit.note("agent.created", "person:ada", "agt_1", { name: "bob" });
    audit.begin("call_7", call).end("failed", 3, "no");
    await audit.close();
    whole = await t.store.dump();
    head = await readFile(join(home.path, "audit-head"), "utf8");
  });
  afterAll(async () => {
    await t?.[Symbol.asyncDispose]();
    await home?.[Symbol.asyncDispose]();
  });

  const open = () =>
    Audit.open({
      ...testChain({ store: t.store, home: home.path }),
      redact: (text) => text,
      onLost: () => {},
    });

  async function verified(change: (tables: Tables) => void = () => {}, headText: string | null = head) {
    const dump = structuredClone(whole) as unknown as StoreDump & { tables: Tables };
    change(dump.tables);
    await t.store.load(dump);
    if (headText === null) await rm(join(home.path, "audit-head"), { force: true });
    else await writeFile(join(home.path, "audit-head"), headText);
    const audit = await open();
    return { audit, ...(await check(audit)) };
  }

  it.runIf(isThere)("what was written is as it was written", async () => {
    expect(await verified()).toMatchObject({ checked: 10, findings: [], unchained: 0, lost: 0 });
  });

  const tried = Object.entries(TAMPERINGS).filter(
    ([name]) => fresh === sqliteStore || ON_BOTH.includes(name),
  );
  it.runIf(isThere).each(tried)("finds %s", async (_name, { change, finds, at }) => {
    const { findings } = await verified(change);
    expect(findings.map(({ kind }) => kind)).toEqual(finds);
    const { chain } = JSON.parse(head);
    for (const seq of at) expect(findings.map(({ place }) => place)).toContain(`${chain}:${seq}`);
  });

  it.runIf(isThere)("finds a head that was changed or removed, also while the process runs", async () => {
    const kinds = async (text: string | null) =>
      (await verified(undefined, text)).findings.map(({ kind, place }) => [kind, place]);
    const older = JSON.stringify({ ...JSON.parse(head), seq: 4 });
    expect(await kinds(older)).toEqual([["head", "head"]]);
    expect(await kinds("{}")).toEqual([["head", "head"]]);
    expect(await kinds(null)).toEqual([["head", "head"]]);

    const { audit } = await verified();
    audit.begin("call_8", call).end("ok", 1, null);
    await audit.flush();
    expect((await check(audit)).findings).toEqual([]);
    const file = join(home.path, "audit-head");
    const newest = await readFile(file, "utf8");
    for (const text of [head, "{}"]) {
      await writeFile(file, text);
      expect((await check(audit)).findings).toMatchObject([{ kind: "head" }]);
    }
    await rm(file);
    expect((await check(audit)).findings).toMatchObject([{ kind: "head" }]);
    await writeFile(file, newest);
    expect((await check(audit)).findings).toEqual([]);
    await audit.close();
  });

  it.runIf(isThere)(
    "a crash after a batch and before its head is no finding, and the chain goes on",
    async () => {
      const { audit } = await verified();
      audit.begin("call_8", call).end("ok", 1, null);
      await audit.close();
      await writeFile(join(home.path, "audit-head"), head);
      const next = await open();
      expect((await check(next)).findings).toEqual([]);
      next.begin("call_9", call).end("ok", 1, null);
      await next.flush();
      const { findings, chains, checked } = await check(next);
      expect(findings).toEqual([]);
      expect(chains).toMatchObject([{ lastSeq: 14, own: true }]);
      expect(checked).toBe(14);
      await next.close();
    },
  );

  it.runIf(isThere)(
    "a break is recorded in a new chain, found until a person acknowledges it, and stays on record",
    async () => {
      const { audit } = await verified(TAMPERINGS["the newest records, removed"]!.change);
      audit.begin("call_8", call).end("ok", 1, null);
      await audit.flush();
      const found = await check(audit);
      expect(found.findings.map(({ kind }) => kind)).toEqual(["break"]);
      expect(found.chains.find(({ own }) => !own)).toMatchObject({ lastSeq: 8 });
      audit.checks.start({ actor: "person:ada", reason: "the disk was full" });
      const { result } = (await audit.checks.ended())!;
      expect(result).toMatchObject({ findings: [], acknowledged: [{ kind: "break" }] });
      await audit.close();
      const next = await open();
      expect(await check(next)).toMatchObject({ findings: [], acknowledged: [{ kind: "break" }] });
    },
  );

  it.runIf(isThere)("an acknowledgement that somebody forged is not believed", async () => {
    const { findings } = await verified(({ calls, auditEntries }) => {
      row(calls, 4).outcome = "denied";
      const { chain } = row(calls, 4);
      auditEntries.push({
        ...row(auditEntries, 9),
        ...{ seq: 11, kind: "audit.acknowledged", subject: `${chain}:4` },
      });
    });
    expect(findings.map(({ kind }) => kind)).toEqual(["altered", "altered"]);
  });

  it.runIf(isThere)(
    "a beginning that was removed because it was old leaves a chain that verifies",
    async () => {
      const { audit } = await verified(({ calls, auditEntries }) => {
        expect(calls.every(({ startedAt }) => startedAt === 5)).toBe(true);
        expect(auditEntries.every(({ at }) => at === 5)).toBe(true);
      });
      expect(await audit.prune(5, 100)).toBe(0);
      expect(await audit.prune(6, 4)).toBe(4);
      expect(await check(audit)).toMatchObject({ checked: 6, findings: [], chains: [{ prunedSeq: 4 }] });
      expect(await audit.prune(6, 100)).toBe(6);
      expect(await check(audit)).toMatchObject({ checked: 0, findings: [], chains: [{ prunedSeq: 10 }] });
      audit.begin("call_8", call).end("ok", 1, null);
      await audit.close();
      const next = await open();
      expect(await check(next)).toMatchObject({ checked: 2, findings: [] });
    },
  );

  it.runIf(isThere)(
    "a record that was changed goes for its age, and leaves behind what was found",
    async () => {
      await verified(TAMPERINGS["an outcome that was edited"]!.change);
      const audit = await Audit.open({
        ...testChain({ store: t.store, home: home.path }),
        clock: () => 10,
        redact: (text) => text,
        onLost: () => {},
      });
      expect((await check(audit)).findings).toMatchObject([{ kind: "altered" }]);
      expect(await audit.prune(6, 100)).toBe(10);
      expect(await audit.prune(6, 100)).toBe(0);
      const [kept] = await callTables(t.store).audit.list({ kind: "audit.pruned", limit: 10 });
      expect(kept).toMatchObject({
        subject: expect.stringMatching(/:5$/),
        details: expect.stringContaining("altered"),
      });
      expect((await check(audit)).findings).toEqual([]);
      await audit.close();
    },
  );

  it.runIf(isThere)("what was written with a key that is lost cannot be vouched for", async () => {
    await verified();
    const audit = await Audit.open({
      ...testChain({ store: t.store, home: home.path }),
      key: new ChainKey(Buffer.alloc(32, 8)),
      redact: (text) => text,
      onLost: () => {},
    });
    expect((await check(audit)).findings.map(({ kind }) => kind)).toEqual(["head", "unreadable"]);
    audit.begin("call_8", call).end("ok", 1, null);
    await audit.flush();
    expect((await check(audit)).findings.map(({ kind }) => kind).sort()).toEqual(["break", "unreadable"]);
    await audit.close();
  });

  it.runIf(isThere)(
    "two homes on one store have chains of their own, and each vouches for what it saw of the other",
    async () => {
      const { audit } = await verified();
      await using other = await tempHome();
      const second = await Audit.open({
        ...testChain({ store: t.store, home: other.path }),
        alone: false,
        redact: (text) => text,
        onLost: () => {},
      });
      for (let i = 0; i < 20; i++) {
        audit.begin(`a${i}`, call).end("ok", 1, null);
        second.begin(`b${i}`, call).end("ok", 1, null);
        await Promise.all([audit.flush(), second.flush()]);
      }
      const result = await check(second);
      expect(result).toMatchObject({ findings: [], checked: 52 });
      expect(result.chains.map(({ own }) => own).sort()).toEqual([false, true]);
      await Promise.all([audit.close(), second.close()]);

      const dump = structuredClone(await t.store.dump()) as unknown as StoreDump & { tables: Tables };
      const { chain } = JSON.parse(head);
      for (const rows of [dump.tables.calls, dump.tables.auditEntries])
        rows.splice(0, rows.length, ...rows.filter((each) => each.chain !== chain || Number(each.seq) < 8));
      await t.store.load(dump);
      const again = await Audit.open({
        ...testChain({ store: t.store, home: other.path }),
        alone: false,
        redact: (text) => text,
        onLost: () => {},
      });
      expect((await check(again)).findings).toMatchObject([{ kind: "truncated" }]);
    },
  );
});

async function check(audit: Audit) {
  audit.checks.start();
  const { result, error } = (await audit.checks.ended())!;
  if (!result) throw new Error(error);
  return result;
}

function row(rows: Rows, seq: number) {
  return rows.find((each) => each.seq === seq)!;
}

function set(changed: Record<string, unknown>, fields: object): void {
  Object.assign(changed, fields);
}

function remove(rows: Rows, seq: number): void {
  rows.splice(rows.indexOf(row(rows, seq)), 1);
}
