import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AuditChain } from "../../../../src/call/audit/contract.ts";
import { auditHome, call, outside, removeRows } from "../../../support/audit-home.ts";
import { callTables } from "../../../support/call-tables.ts";
import { TEST_KEY } from "../../../support/test-chain.ts";

it("a checkpoint that somebody moved is not signed when what is old is removed", async () => {
  await using home = await auditHome(10);
  await home.tamper(({ calls, auditEntries, auditChains }) => {
    const { mac } = calls.find(({ seq }) => seq === 5)!;
    Object.assign(auditChains[0]!, { prunedSeq: 5, prunedMac: mac });
    for (const rows of [calls, auditEntries]) removeRows(rows, ({ seq }) => Number(seq) <= 5);
  });
  const problems: unknown[] = [];
  const audit = await home.open({ onProblem: (problem) => problems.push(problem) });
  expect(await audit.prune(6, 100)).toBe(0);
  expect(String(problems[0])).toContain(":5 of the audit");
  await audit.close();
  expect((await home.found()).findings).toMatchObject([{ kind: "altered" }]);
});

it("what is old goes past a record that was altered and one that is missing, and what was found there is kept first", async () => {
  let now = 5;
  await using home = await auditHome(10, () => now);
  await home.tamper(({ calls }) => {
    Object.assign(calls.find(({ seq }) => seq === 4)!, { outcome: "denied" });
    removeRows(calls, ({ seq }) => seq === 7);
  });
  now = 10;
  const audit = await home.open();
  expect(await audit.prune(6, 100)).toBe(11);
  await audit.flush();
  const kept = await callTables(home.store).audit.list({ kind: "audit.pruned", limit: 10, order: "oldest" });
  expect(kept.map(({ subject }) => subject?.replace(/^chn_\w+/, ""))).toEqual([":4", ":7"]);
  expect(kept.map(({ details }) => JSON.parse(details))).toMatchObject([
    { kind: "altered", callId: "call_2" },
    { kind: "missing", to: 7 },
  ]);
  // Once: nothing of it is left.
  expect(await audit.prune(6, 100)).toBe(0);
  await audit.close();
  expect((await home.found()).findings).toEqual([]);
});

it("a record that was altered stays while nothing behind it is old, and is found", async () => {
  await using home = await auditHome(3);
  await home.tamper(({ calls }) => Object.assign(calls.find(({ seq }) => seq === 4)!, { outcome: "denied" }));
  const audit = await home.open();
  expect(await audit.prune(6, 100)).toBe(3);
  await audit.close();
  expect((await home.found()).findings).toMatchObject([{ kind: "altered" }]);
  expect(await callTables(home.store).audit.list({ kind: "audit.pruned", limit: 10 })).toEqual([]);
});

it("records outside the chains are found also when the first record of the chain was removed for its age", async () => {
  await using home = await auditHome(3);
  const audit = await home.open();
  await audit.begin("unfinished", call).writeIntent();
  expect(await audit.prune(6, 3)).toBe(3);
  await audit.close();
  expect((await home.found()).findings).toEqual([]);
  await home.tamper(({ calls }) => outside(calls, "forged"));
  expect((await home.found()).findings).toMatchObject([{ kind: "foreign", place: "calls" }]);
  // Neither does a process that begins later take them for what was there before.
  const later = await home.open();
  await later.note("agent.created", null, "x");
  await later.close();
  expect((await home.found()).findings).toMatchObject([{ kind: "foreign", place: "calls" }]);
});

it("records from before there were chains may become fewer, and not more again", async () => {
  await using home = await auditHome(3);
  await home.tamper((tables) => {
    for (const rows of [tables.auditChains, tables.auditEntries]) rows.length = 0;
    for (const each of tables.calls) Object.assign(each, { chain: null, seq: null, mac: null });
  });
  await rm(join(home.home, "audit-head"));
  const wrote = async () => {
    const audit = await home.open();
    await audit.note("agent.created", null, "x");
    await audit.close();
    return home.found();
  };
  expect(await wrote()).toMatchObject({ findings: [], unchained: 3 });
  await home.tamper(({ calls }) => void calls.pop());
  expect(await wrote()).toMatchObject({ findings: [], unchained: 2 });
  await home.tamper(({ calls }) => outside(calls, "forged"));
  expect(await wrote()).toMatchObject({ findings: [{ kind: "foreign" }], unchained: 3 });
});

it("beside more than a thousand chains that are over a home finds its own, and nothing amiss", async () => {
  await using home = await auditHome(2);
  await home.tamper(({ auditChains }) => {
    const { mac: _, ...own } = auditChains[0] as unknown as AuditChain;
    for (let i = 0; i < 1_001; i++) {
      const old = { ...own, id: `chn_old${i}`, createdAt: 1, prunedSeq: 3, prunedMac: "x" };
      auditChains.push({ ...old, mac: TEST_KEY.ofChain(old) });
    }
  });
  const audit = await home.open();
  expect(audit.chain.opening.reason).toBe("continued");
  await audit.begin("later", call).writeIntent();
  await audit.close();
  const { findings, chains } = await home.found();
  expect(findings).toEqual([]);
  expect(chains).toHaveLength(1_002);
  expect(chains.filter(({ own }) => own)).toMatchObject([{ lastSeq: 5 }]);
});
