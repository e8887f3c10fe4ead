import { describe, expect, it } from "vitest";
import { Audit, type AuditDeps } from "../../../src/call/audit/audit.ts";
import type { AuditStore } from "../../../src/call/audit/chain/audit-store.ts";
import { ToolkeepError } from "../../../src/contract/errors.ts";
import type { ToolCall } from "../../../src/contract/tool.ts";
import { callTables } from "../../support/call-tables.ts";
import { tempStore } from "../../support/temp-store.ts";
import { testChain } from "../../support/test-chain.ts";
import { testCaller } from "../../support/tools.ts";

const call: ToolCall = { name: "t", arguments: { a: 1 }, caller: testCaller(), via: "library" };

/** An audit over a real store; `append` stands before what is written. */
async function open(
  append?: (write: AuditStore["append"]) => AuditStore["append"],
  more: Partial<AuditDeps> = {},
) {
  const temp = await tempStore();
  const { audit: real } = callTables(temp.store);
  const chain = testChain(temp);
  const store = append ? { ...real, append: append((batch) => real.append(batch)) } : real;
  const audit = await Audit.open({ ...chain, store, redact: (text) => text, onLost: () => {}, ...more });
  return {
    audit,
    store: temp.store,
    calls: () => callTables(temp.store).calls.list({ limit: 1_000 }),
    entries: (kind: string) => real.list({ limit: 100, kind }),
    async [Symbol.asyncDispose]() {
      await audit.close();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const down = () => new ToolkeepError("STORE_UNAVAILABLE", "the disk is full");

describe("audit", () => {
  it("writes records in batches, soon, without being asked to", async () => {
    await using it = await open();
    for (let i = 0; i < 450; i++) it.audit.begin(`call_${i}`, call).end("ok", 1, null);
    await expect.poll(async () => (await it.calls()).length, { timeout: 5_000 }).toBe(450);
  });

  it("writes what comes after a flush of nothing", async () => {
    await using it = await open();
    await it.audit.flush();
    await it.audit.flush();
    await it.audit.note("agent.created", null, "x");
    it.audit.begin("a", call).end("ok", 1, null);
    await it.audit.flush();
    expect(await it.calls()).toHaveLength(1);
  });

  it("writes an intent at once and replaces it with the record", async () => {
    await using it = await open();
    const record = it.audit.begin("call_1", call);
    await record.writeIntent();
    expect(await it.calls()).toMatchObject([{ id: "call_1", outcome: null }]);
    record.end("ok", 3, null);
    await it.audit.flush();
    expect(await it.calls()).toMatchObject([{ id: "call_1", outcome: "ok", durationMs: 3, seq: 3 }]);
    expect(await it.entries("intent")).toMatchObject([{ subject: "call_1", seq: 2 }]);
  });

  it("keeps what a person did before it resolves, without secrets", async () => {
    await using it = await open(undefined, { redact: (text) => text.replaceAll("hunter22", "[redacted]") });
    await it.audit.note("agent.created", "person:ada", "agt_1", { name: "bob", token: "hunter22" });
    expect(await it.entries("agent.*")).toMatchObject([
      {
        kind: "agent.created",
        actor: "person:ada",
        subject: "agt_1",
        details: '{"name":"bob","token":"[redacted]"}',
      },
    ]);
    await it.audit.note("agent.removed", null, null, { long: "x".repeat(10_000) });
    const [entry] = await it.entries("agent.removed");
    expect(JSON.parse(entry!.details)).toMatchObject({ cut: expect.stringContaining("xxx") });
  });

  it("counts what can never be written as lost, says so in the chain and goes on", async () => {
    const lost: number[] = [];
    let failing = true;
    await using it = await open(
      (write) => async (batch) => {
        if (failing) throw new Error("no such column");
        await write(batch);
      },
      { onLost: (count) => lost.push(count) },
    );
    it.audit.begin("a", call).end("ok", 1, null);
    await it.audit.flush();
    failing = false;
    it.audit.begin("b", call).end("ok", 1, null);
    await it.audit.flush();
    expect(lost).toEqual([1]);
    expect((await it.calls()).map(({ id }) => id)).toEqual(["b"]);
    expect(JSON.parse((await it.entries("lost"))[0]!.details)).toMatchObject({ count: 1 });
  });

  it("keeps records while the store is down and writes all of them, in order, when it is back", async () => {
    let isDown = true;
    await using it = await open((write) => async (batch) => {
      if (isDown) throw down();
      await write(batch);
    });
    for (const id of ["a", "b"]) it.audit.begin(id, call).end("ok", 1, null);
    await it.audit.flush();
    await expect(it.audit.begin("wipe", call).writeIntent()).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    await it.audit.note("agent.created", null, "x");
    expect(it.audit.load).toMatchObject({ waiting: 3, lost: 0 });
    isDown = false;
    await it.audit.flush();
    expect(it.audit.load).toMatchObject({ waiting: 0, lost: 0 });
    const seqs = (await it.calls()).map(({ id, seq }) => [id, seq]);
    expect(seqs.sort()).toEqual([
      ["a", 2],
      ["b", 3],
    ]);
    expect(await it.entries("agent.created")).toMatchObject([{ seq: 4 }]);
  });

  it("keeps 20,000 records while the store is down, and says how many of the oldest it lost", async () => {
    let isDown = true;
    await using it = await open((write) => async (batch) => {
      if (isDown) throw down();
      await write(batch);
    });
    for (let i = 0; i < 20_100; i++) it.audit.begin(`c${i}`, call).end("ok", 1, null);
    await it.audit.flush();
    expect(it.audit.load.lost).toBeGreaterThanOrEqual(100);
    const { lost } = it.audit.load;
    isDown = false;
    await it.audit.flush();
    const [entry] = await it.entries("lost");
    expect(JSON.parse(entry!.details).count).toBe(lost);
    const { seq } = (await callTables(it.store).audit.tail(entry!.chain))!;
    expect(seq).toBe(20_100 - lost + 2);
  });

  it("does not write twice what was written although the store said that it was not", async () => {
    let failures = 1;
    await using it = await open((write) => async (batch) => {
      await write(batch);
      if (failures-- > 0) throw down();
    });
    it.audit.begin("a", call).end("ok", 1, null);
    await it.audit.flush();
    it.audit.begin("b", call).end("ok", 1, null);
    await it.audit.flush();
    expect((await it.calls()).map(({ id, seq }) => [id, seq]).sort()).toEqual([
      ["a", 2],
      ["b", 3],
    ]);
  });

  it("begins another chain where somebody else wrote to its own, and loses nothing", async () => {
    await using it = await open();
    it.audit.begin("a", call).end("ok", 1, null);
    await it.audit.flush();
    const { chain, seq, mac } = it.audit.chain.head!;
    const [first] = await it.calls();
    await callTables(it.store).calls.put([{ ...first!, id: "forged", chain, seq: seq + 1, mac }]);
    it.audit.begin("b", call).end("ok", 1, null);
    await it.audit.flush();
    expect(it.audit.chain.head!.chain).not.toBe(chain);
    expect((await it.calls()).find(({ id }) => id === "b")).toMatchObject({ seq: 2 });
    expect(it.audit.load.lost).toBe(0);
  });

  it("counts what is not written yet, also while it is being written, and for how long", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let now = 5;
    await using it = await open(
      (write) => async (batch) => {
        await held;
        await write(batch);
      },
      { clock: () => now },
    );
    it.audit.begin("a", call).end("ok", 1, null);
    const writing = it.audit.flush();
    it.audit.begin("b", call).end("ok", 1, null);
    now = 25;
    expect(it.audit.load).toEqual({ waiting: 2, lagMs: 20, lost: 0 });
    release();
    await writing;
    await it.audit.flush();
    expect(it.audit.load).toEqual({ waiting: 0, lagMs: 0, lost: 0 });
  });

  it("records the arguments as they were, whatever becomes of them before they are written", async () => {
    await using it = await open();
    const args = { path: "/etc/passwd" };
    it.audit.begin("a", { ...call, arguments: args }).end("ok", 1, null);
    args.path = "harmless";
    await it.audit.flush();
    expect((await it.calls())[0]!.arguments).toBe('{"path":"/etc/passwd"}');
  });

  it("takes secrets out of names, arguments and errors, also where they would be cut", async () => {
    await using it = await open(undefined, { redact: (text) => text.replaceAll("hunter22", "[redacted]") });
    const text = `${"x".repeat(4_080)}hunter22`;
    const record = it.audit.begin("a", { ...call, name: "hunter22", arguments: { text } });
    record.end("failed", 1, "hunter22 is wrong");
    await it.audit.flush();
    const calls = await it.calls();
    expect(JSON.stringify(calls)).not.toContain("hunter");
    expect(calls[0]).toMatchObject({ requested: "[redacted]", error: "[redacted] is wrong" });
  });

  it("keeps writing in order when more comes than is written at once", async () => {
    await using it = await open();
    for (let i = 0; i < 4_500; i++) it.audit.begin(`call_${i}`, call).end("ok", i, null);
    await it.audit.flush();
    const { calls = [] } = (await it.store.dump()).tables;
    expect(calls).toHaveLength(4_500);
    expect(calls.every((row) => row.id === `call_${row.durationMs}`)).toBe(true);
    expect(calls.every((row) => row.seq === Number(row.durationMs) + 2)).toBe(true);
  });

  it("shows what a person was asked and what the conversation had read", async () => {
    await using it = await open();
    const record = it.audit.begin("a", call);
    record.noteLabels(["untrusted", "web"]);
    record.noteApproval("qst_1", "ada");
    record.end("ok", 1, null);
    await it.audit.flush();
    expect((await it.calls())[0]).toMatchObject({
      labels: "untrusted,web",
      approvalId: "qst_1",
      approvedBy: "ada",
    });
  });

  it("cuts long arguments", async () => {
    await using it = await open();
    it.audit.begin("a", { ...call, arguments: { text: "x".repeat(100_000) } }).end("ok", 1, null);
    await it.audit.flush();
    expect((await it.calls())[0]!.arguments.length).toBeLessThanOrEqual(4_096);
  });
});
