import { afterEach, describe, expect, it, vi } from "vitest";
import { withHeartbeat } from "../../../src/lib/flow/heartbeat.ts";

afterEach(() => void vi.useRealTimers());

describe("withHeartbeat", () => {
  it("beats after two seconds, then every ten, and no more once the work is done", async () => {
    vi.useFakeTimers();
    const start = Date.now();
    const beats: number[] = [];
    const context = { progress: () => void beats.push(Date.now() - start) };
    let finish = () => {};
    const beating = withHeartbeat(context, () => "waiting", new Promise<void>((done) => (finish = done)));
    await vi.advanceTimersByTimeAsync(25_000);
    finish();
    await beating;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(beats).toEqual([2_000, 12_000, 22_000]);
  });
});
