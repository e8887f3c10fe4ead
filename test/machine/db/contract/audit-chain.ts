import { expect, test } from "vitest";
import type { AuditChain, AuditEntry } from "../../../../src/call/audit/contract.ts";
import { callTables } from "../../../support/call-tables.ts";
import { call, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const chain = (id: string, change: Partial<AuditChain> = {}): AuditChain => ({
  id,
  keyId: "k1",
  label: "host:/home",
  createdAt: NOW,
  prunedSeq: 0,
  prunedMac: "",
  mac: "m",
  ...change,
});

const entry = (seq: number, change: Partial<AuditEntry> = {}): AuditEntry => ({
  chain: "chn_a",
  seq,
  mac: `mac ${seq}`,
  kind: "agent.created",
  at: NOW + seq,
  actor: null,
  subject: "agt_1",
  details: "{}",
  ...change,
});

const link = (seq: number, more = {}) => call(`c${seq}`, { chain: "chn_a", seq, mac: `mac ${seq}`, ...more });

export function chainContract(fresh: FreshStore): void {
  test("a batch is written whole or not at all, and no place is given twice", async () => {
    await using t = await fresh();
    const { audit, calls } = callTables(t.store);
    expect(await audit.tail("chn_a")).toBeUndefined();
    await audit.append({ chain: chain("chn_a"), calls: [link(2)], entries: [entry(1), entry(3)] });
    expect(await audit.tail("chn_a")).toEqual({ seq: 3, mac: "mac 3" });
    expect(await audit.chains()).toEqual([chain("chn_a")]);
    const taken = audit.append({ calls: [link(4)], entries: [entry(3)] });
    await expect(taken).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await expect(
      audit.append({ calls: [call("other", { chain: "chn_a", seq: 2 })], entries: [entry(4)] }),
    ).rejects.toMatchObject({ code: "NAME_TAKEN" });
    expect(await audit.tail("chn_a")).toEqual({ seq: 3, mac: "mac 3" });
    expect(await calls.list({ limit: 10 })).toEqual([link(2)]);
  });

  test("what stands beyond a place is read in order, as it was written", async () => {
    await using t = await fresh();
    const { audit } = callTables(t.store);
    const strange = link(4, { arguments: '{"a":"\u00e9 \u{1f600}"}', durationMs: null, tool: null });
    await audit.append({ calls: [link(2), strange, link(5)], entries: [entry(1), entry(3)] });
    await audit.append({ calls: [call("b1", { chain: "chn_b", seq: 6 })], entries: [] });
    expect(await audit.read("chn_a", 1, 2)).toEqual({ calls: [link(2), strange], entries: [entry(3)] });
    expect(await audit.read("chn_a", 5, 2)).toEqual({ calls: [], entries: [] });
    const a = { id: "chn_a", records: 5 };
    expect(await audit.unknownChains()).toEqual([a, { id: "chn_b", records: 1 }]);
    await audit.append({ chain: chain("chn_b"), calls: [], entries: [] });
    expect(await audit.unknownChains()).toEqual([a]);
    expect(await audit.unchained()).toBe(0);
    await callTables(t.store).calls.put([call("old")]);
    expect(await audit.known(["c2", "old", "nobody"])).toEqual(new Set(["c2"]));
    expect(await audit.unchained()).toBe(1);
  });

  test("chains are found by their id, page by page, and from the newest on", async () => {
    await using t = await fresh();
    const { audit } = callTables(t.store);
    const begun = [
      chain("chn_c"),
      chain("chn_b", { createdAt: NOW + 1 }),
      chain("chn_d", { createdAt: NOW + 1 }),
    ];
    for (const each of begun) await audit.append({ chain: each, calls: [], entries: [] });
    expect(await audit.chains()).toEqual(begun);
    expect(await audit.chains(begun[0])).toEqual(begun.slice(1));
    expect(await audit.chains(begun[1])).toEqual(begun.slice(2));
    expect(await audit.chains(begun[2])).toEqual([]);
    expect(await audit.newestChains(2)).toEqual(begun.slice(1));
    expect(await audit.chain("chn_b")).toEqual(begun[1]);
    expect(await audit.chain("chn_a")).toBeUndefined();
  });

  test("the beginning of a chain goes for good, once", async () => {
    await using t = await fresh();
    const { audit, calls } = callTables(t.store);
    await audit.append({ chain: chain("chn_a"), calls: [link(2), link(4)], entries: [entry(1), entry(3)] });
    await audit.prune(chain("chn_a", { prunedSeq: 3, prunedMac: "mac 3", mac: "m3" }), 0);
    expect(await audit.chains()).toEqual([chain("chn_a", { prunedSeq: 3, prunedMac: "mac 3", mac: "m3" })]);
    expect(await calls.list({ limit: 10 })).toEqual([link(4)]);
    expect(await audit.list({ limit: 10 })).toEqual([]);
    await expect(audit.prune(chain("chn_a", { prunedSeq: 4 }), 0)).rejects.toMatchObject({ code: "CHANGED" });
    expect(await calls.list({ limit: 10 })).toHaveLength(1);
    expect(await t.store.prune("calls", NOW + 1_000, 10)).toBe(0);
  });

  test("entries are listed by kind, actor, subject and time, page by page", async () => {
    await using t = await fresh();
    const { audit } = callTables(t.store);
    const entries = [
      entry(1),
      entry(2, { kind: "agent.removed", actor: "ada" }),
      entry(3, { kind: "rule.added", subject: "r1" }),
      entry(4, { at: NOW + 3 }),
    ];
    await audit.append({ calls: [], entries });
    const seqs = async (filter: object) =>
      (await audit.list({ limit: 10, ...filter })).map((each) => each.seq);
    expect(await seqs({})).toEqual([4, 3, 2, 1]);
    expect(await seqs({ order: "oldest" })).toEqual([1, 2, 3, 4]);
    expect(await seqs({ kind: "agent.*" })).toEqual([4, 2, 1]);
    expect(await seqs({ kind: "rule.added", subject: "r1" })).toEqual([3]);
    expect(await seqs({ actor: "ada" })).toEqual([2]);
    expect(await seqs({ since: NOW + 2, until: NOW + 3 })).toEqual([4, 3, 2]);
    expect(await seqs({ after: { at: NOW + 3, chain: "chn_a", seq: 4 } })).toEqual([3, 2, 1]);
    expect(await seqs({ after: { at: NOW + 2, chain: "chn_a", seq: 2 }, order: "oldest" })).toEqual([3, 4]);
  });

  test("keys are kept beside each other, and none is replaced", async () => {
    await using t = await fresh();
    const { audit } = callTables(t.store);
    const key = (id: number, byte: number) => ({ id, sealed: Uint8Array.of(byte) });
    expect(await audit.keys()).toEqual([]);
    for (const each of [key(1, 1), key(1, 2), key(2, 3)]) await audit.addKey(each, NOW);
    expect(await audit.keys()).toEqual([key(1, 1), key(2, 3)]);
  });
}
