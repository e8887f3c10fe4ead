import { expect, it } from "vitest";
import { type AuditTables, auditHome, checked, outside, removeRows } from "../../support/audit-home.ts";
import { callTables } from "../../support/call-tables.ts";

type Change = (tables: AuditTables) => void;

const LATER: Record<string, { first: Change; later: Change }> = {
  "further records beside one that is missing": {
    first: ({ calls }) => removeRows(calls, ({ seq }) => seq === 5),
    later: ({ calls }) => removeRows(calls, ({ seq }) => Number(seq) > 5 && Number(seq) < 9),
  },
  "further records outside the chains": {
    first: ({ calls }) => outside(calls, "forged"),
    later: ({ calls }) => outside(calls, "forged again"),
  },
  "further records in a chain that nobody began": {
    first: ({ calls }) => void calls.push({ ...calls.at(-1)!, id: "forged", chain: "chn_eve", seq: 9 }),
    later: ({ calls }) => void calls.push({ ...calls.at(-1)!, id: "again", chain: "chn_eve", seq: 8 }),
  },
  "the removal of a record that had been edited": {
    first: (tables) => set(tables, 5, { outcome: "denied" }),
    later: ({ calls }) => removeRows(calls, ({ seq }) => seq === 5),
  },
  "another edit of a record that had been edited": {
    first: (tables) => set(tables, 5, { outcome: "denied" }),
    later: (tables) => set(tables, 5, { tool: "harmless" }),
  },
  "a checkpoint that is moved further": {
    first: (tables) => moved(tables, 3),
    later: (tables) => moved(tables, 6),
  },
};

function set({ calls }: AuditTables, place: number, fields: object): void {
  Object.assign(calls.find(({ seq }) => seq === place)!, fields);
}

function moved({ calls, auditEntries, auditChains }: AuditTables, to: number): void {
  const { mac } = calls.find(({ seq }) => seq === to)!;
  Object.assign(auditChains[0]!, { prunedSeq: to, prunedMac: mac });
  for (const rows of [calls, auditEntries]) removeRows(rows, ({ seq }) => Number(seq) <= to);
}

it.each(Object.entries(LATER))("an acknowledgement does not cover %s", async (_, { first, later }) => {
  await using home = await auditHome(12);
  await home.tamper(first);
  expect(await home.found("known")).toMatchObject({ findings: [], acknowledged: [{}] });
  expect(await home.found()).toMatchObject({ findings: [], acknowledged: [{}] });
  await home.tamper(later);
  expect((await home.found()).findings).toHaveLength(1);
  expect(await home.found("known, too")).toMatchObject({ findings: [] });
});

it("what is listed is acknowledged, two hundred at a time, until nothing is left", async () => {
  await using home = await auditHome(450);
  await home.tamper(({ calls }) => {
    for (const each of calls) each.outcome = "denied";
  });
  const counts = async (reason?: string) => {
    const { findings, found, acknowledged, acknowledgedCount } = await home.found(reason);
    return [findings.length, found, acknowledged.length, acknowledgedCount];
  };
  expect(await counts()).toEqual([200, 450, 0, 0]);
  expect(await counts("known")).toEqual([200, 250, 200, 200]);
  expect(await counts("known")).toEqual([50, 50, 200, 400]);
  expect(await counts("known")).toEqual([0, 0, 200, 450]);
});

it("an acknowledgement is itself recorded: that somebody looked, and each finding", async () => {
  await using home = await auditHome(12);
  await home.tamper((tables) => set(tables, 5, { outcome: "denied" }));
  await home.found("known");
  const entries = await callTables(home.store).audit.list({ limit: 10, kind: "audit.*", order: "oldest" });
  expect(entries.map(({ kind, actor }) => [kind, actor])).toEqual([
    ["audit.looked_at", "ada"],
    ["audit.acknowledged", "ada"],
  ]);
});

it("an acknowledgement is refused while a check runs", async () => {
  await using home = await auditHome(3);
  const audit = await home.open();
  audit.checks.start();
  expect(() => audit.checks.start({ actor: "ada", reason: "known" })).toThrow(
    expect.objectContaining({ code: "IN_USE" }),
  );
  expect(audit.checks.start()).toMatchObject({ state: "running" });
  await audit.checks.ended();
  expect(await checked(audit, { actor: "ada", reason: "known" })).toMatchObject({ findings: [] });
  await audit.close();
});
