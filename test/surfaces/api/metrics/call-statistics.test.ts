import { describe, expect, it } from "vitest";
import { type EventMap, Events } from "../../../../src/contract/events.ts";
import type { Tool } from "../../../../src/contract/tool.ts";
import { CallStatistics } from "../../../../src/surfaces/api/metrics/call-statistics.ts";

const MINUTE = 60_000;

function history() {
  let now = 1_000 * MINUTE;
  const events = new Events((error) => {
    throw error;
  });
  const catalog = {
    get: (name: string) => (name === "none" ? undefined : ({ origin: name.split("__")[0] } as Tool)),
  };
  const counted = new CallStatistics(events, catalog, () => now);
  return {
    counted,
    pass: (ms: number) => {
      now += ms;
    },
    call: (tool: string, durationMs: number, outcome: EventMap["call.ended"]["outcome"] = "ok") =>
      events.emit("call.ended", { callId: "c", tool, agent: "a", outcome, durationMs }),
  };
}

describe("the history of calls", () => {
  it("counts the last hour minute by minute, oldest first", () => {
    const { counted, call, pass } = history();
    call("mcp:files__read", 10);
    call("mcp:files__read", 10, "failed");
    call("none", 1, "unknown_tool");
    pass(2 * MINUTE);
    call("mcp:files__read", 5);
    const minutes = counted.minutes();
    expect(minutes).toHaveLength(60);
    expect(minutes.slice(-3).map(({ calls, failed, refused }) => [calls, failed, refused])).toEqual([
      [3, 1, 1],
      [0, 0, 0],
      [1, 0, 0],
    ]);
    expect(minutes.at(-1)!.at - minutes[0]!.at).toBe(59 * MINUTE);
    expect(minutes.at(-2)!.p95Ms).toBeNull();
  });

  it("forgets what is older than an hour, though the places are used again", () => {
    const { counted, call, pass } = history();
    for (let minute = 0; minute < 200; minute++) {
      call("mcp:files__read", 3);
      pass(MINUTE);
    }
    expect(counted.minutes().reduce((sum, { calls }) => sum + calls, 0)).toBe(59);
    pass(300 * MINUTE);
    expect(counted.minutes().every(({ calls }) => calls === 0)).toBe(true);
  });

  it("knows a p95 within a fifth, from a millisecond to ten minutes", () => {
    for (const slow of [1, 7, 90, 1_300, 45_000, 600_000]) {
      const { counted, call } = history();
      for (let index = 0; index < 90; index++) call("mcp:files__read", 0.5);
      for (let index = 0; index < 10; index++) call("mcp:files__read", slow);
      const { p95Ms } = counted.minutes().at(-1)!;
      expect(p95Ms! / slow).toBeGreaterThanOrEqual(0.99);
      expect(p95Ms! / slow).toBeLessThanOrEqual(1.21);
    }
  });

  it("knows how quick each server was lately, and only servers", () => {
    const { counted, call } = history();
    for (let index = 0; index < 200; index++) call("mcp:files__read", 1_000);
    for (let index = 0; index < 64; index++) call("mcp:files__read", index);
    call("native__think", 3);
    call("mcp:files__read", 9_000, "denied");
    expect(counted.latencies()).toEqual([{ server: "files", calls: 264, medianMs: 32, p95Ms: 60 }]);
  });

  it("counts nothing after it was closed", () => {
    const { counted, call } = history();
    counted.close();
    call("mcp:files__read", 1);
    expect(counted.minutes().at(-1)!.calls).toBe(0);
  });
});
