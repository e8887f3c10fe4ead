import { describe, expect, it } from "vitest";
import { Audit } from "../../src/audit/audit.ts";
import type { CallRecord } from "../../src/store/store.ts";
import type { ToolCall } from "../../src/tool.ts";
import { tempStore } from "../support/temp-store.ts";
import { testCaller } from "../support/tools.ts";

const call: ToolCall = { name: "t", arguments: { a: 1 }, caller: testCaller(), via: "library" };

function over(
  put: (calls: readonly CallRecord[]) => Promise<void>,
  onLost: (count: number) => void = () => {},
) {
  return new Audit({ store: { calls: { put } }, redact: (text) => text, clock: () => 5, onLost });
}

describe("audit", () => {
  it("writes records in batches, soon, without being asked to", async () => {
    await using temp = await tempStore();
    const audit = new Audit({ store: temp.store, redact: (text) => text, clock: () => 5, onLost: () => {} });
    for (let i = 0; i < 450; i++) audit.begin(`call_${i}`, call).end("ok", 1, null);
    await expect
      .poll(async () => (await temp.store.calls.list({ limit: 500 })).length, { timeout: 5_000 })
      .toBe(450);
  });

  it("writes an intent at once and replaces it with the record", async () => {
    await using temp = await tempStore();
    const audit = new Audit({ store: temp.store, redact: (text) => text, clock: () => 5, onLost: () => {} });
    const record = audit.begin("call_1", call);
    await record.intent();
    expect(await temp.store.calls.list({ limit: 5 })).toMatchObject([{ id: "call_1", outcome: null }]);
    record.end("ok", 3, null);
    await audit.flush();
    expect(await temp.store.calls.list({ limit: 5 })).toMatchObject([
      { id: "call_1", outcome: "ok", durationMs: 3 },
    ]);
  });

  it("reports what a failing store lost and goes on", async () => {
    const lost: number[] = [];
    let failing = true;
    const kept: CallRecord[] = [];
    const audit = over(
      async (calls) => {
        if (failing) throw new Error("disk full");
        kept.push(...calls);
      },
      (count) => lost.push(count),
    );
    audit.begin("a", call).end("ok", 1, null);
    await audit.flush();
    failing = false;
    audit.begin("b", call).end("ok", 1, null);
    await audit.flush();
    expect(lost).toEqual([1]);
    expect(kept.map((record) => record.id)).toEqual(["b"]);
  });

  it("counts what is not written yet, also while it is being written, and what was lost", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const audit = over(async ([first]) => {
      await held;
      if (first?.id === "a") throw new Error("disk full");
    });
    audit.begin("a", call).end("ok", 1, null);
    const writing = audit.flush();
    audit.begin("b", call).end("ok", 1, null);
    expect(audit.load).toEqual({ waiting: 2, lost: 0 });
    release();
    await writing;
    await audit.flush();
    expect(audit.load).toEqual({ waiting: 0, lost: 1 });
  });

  it("records the arguments as they were, whatever becomes of them before they are written", async () => {
    const kept: CallRecord[] = [];
    const audit = over(async (calls) => void kept.push(...calls));
    const args = { path: "/etc/passwd" };
    audit.begin("a", { ...call, arguments: args }).end("ok", 1, null);
    args.path = "harmless";
    await audit.flush();
    expect(kept[0]!.arguments).toBe('{"path":"/etc/passwd"}');
  });

  it("takes secrets out of names, arguments and errors, also where they would be cut", async () => {
    const kept: CallRecord[] = [];
    const audit = new Audit({
      store: { calls: { put: async (calls) => void kept.push(...calls) } },
      redact: (text) => text.replaceAll("hunter22", "[redacted]"),
      clock: () => 5,
      onLost: () => {},
    });
    const text = `${"x".repeat(4_080)}hunter22`;
    const record = audit.begin("a", { ...call, name: "hunter22", arguments: { text } });
    record.end("failed", 1, "hunter22 is wrong");
    await audit.flush();
    expect(JSON.stringify(kept)).not.toContain("hunter");
    expect(kept[0]).toMatchObject({ requested: "[redacted]", error: "[redacted] is wrong" });
  });

  it("keeps writing in order when more comes than is written at once", async () => {
    await using temp = await tempStore();
    const audit = new Audit({ store: temp.store, redact: (text) => text, clock: () => 5, onLost: () => {} });
    for (let i = 0; i < 4_500; i++) audit.begin(`call_${i}`, call).end("ok", i, null);
    await audit.flush();
    const { calls = [] } = (await temp.store.dump()).tables;
    expect(calls).toHaveLength(4_500);
    expect(calls.every((row) => row.id === `call_${row.durationMs ?? row.duration_ms}`)).toBe(true);
  });

  it("cuts long arguments", async () => {
    const kept: CallRecord[] = [];
    const audit = over(async (calls) => void kept.push(...calls));
    audit.begin("a", { ...call, arguments: { text: "x".repeat(100_000) } }).end("ok", 1, null);
    await audit.flush();
    expect(kept[0]!.arguments.length).toBeLessThanOrEqual(4_096);
  });
});
