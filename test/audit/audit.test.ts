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

  it("cuts long arguments", async () => {
    const kept: CallRecord[] = [];
    const audit = over(async (calls) => void kept.push(...calls));
    audit.begin("a", { ...call, arguments: { text: "x".repeat(100_000) } }).end("ok", 1, null);
    await audit.flush();
    expect(kept[0]!.arguments.length).toBeLessThanOrEqual(4_096);
  });
});
