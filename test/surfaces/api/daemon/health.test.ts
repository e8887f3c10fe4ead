import { describe, expect, it } from "vitest";
import { StoreCheck } from "../../../../src/surfaces/api/store-check.ts";
import { stopwatch } from "../../../support/stopwatch.ts";
import { testApi } from "../../../support/test-api.ts";

describe("/health", () => {
  it("answers without a token and tells nothing else", async () => {
    let now = 1_000;
    await using api = await testApi({ clock: () => now });
    now += 250;
    const response = await api.app.inject({ url: "/health" });
    expect(response.json()).toEqual({ status: "ok", ready: true, version: "1.2.3", uptime_ms: 250 });
  });

  it("stays 200 while the store cannot be used, and is 503 for whoever asks whether it is ready", async () => {
    let now = 1_000;
    await using api = await testApi({ clock: () => now });
    const ready = await api.app.inject({ url: "/health?ready" });
    expect(ready.statusCode).toBe(200);

    // The real store, closed: as it is when the database has gone.
    await api.hub.store.close();
    now += 1_000;
    const alive = await api.app.inject({ url: "/health" });
    expect([alive.statusCode, alive.json()]).toEqual([200, expect.objectContaining({ ready: false })]);
    expect((await api.app.inject({ url: "/health?ready=1" })).statusCode).toBe(503);
  });
});

describe("the check of the store", () => {
  it("asks the store once a second at most, however many ask", async () => {
    let now = 0;
    let asked = 0;
    const checkWrite = async () => void ++asked;
    const check = new StoreCheck({ checkWrite }, () => now);
    await Promise.all([check.isReady(), check.isReady()]);
    await check.isReady();
    now += 999;
    await check.isReady();
    expect(asked).toBe(1);
    now += 1;
    expect(await check.isReady()).toBe(true);
    expect(asked).toBe(2);
  });

  it("does not wait for a store that hangs", async () => {
    const check = new StoreCheck({ checkWrite: () => new Promise(() => {}) }, () => 0);
    const took = stopwatch();
    expect(await check.isReady()).toBe(false);
    expect(took()).toBeLessThan(5_000);
  });
});
