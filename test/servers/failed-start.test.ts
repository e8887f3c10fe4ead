import { describe, expect, it } from "vitest";
import { inDeep } from "../support/length.ts";
import { fixture, settingsWith, testUpstream } from "../support/upstream.ts";

const ABSENT = { command: "toolkeep-test-no-such-program" };

describe("a server whose last start failed", () => {
  it("stays failed after a restart, with the reason and the time, and is well after the next start that works", async () => {
    await using up = await testUpstream();
    await up.upstream.add("broken", ABSENT);
    await up.upstream.settled();
    const before = up.upstream.server("broken");
    expect(before).toMatchObject({ state: "unavailable", lastError: expect.stringContaining("not found") });
    expect(before.failedAt).toEqual(expect.any(Number));

    // A second attempt at the start would hide what was stored: this one cannot begin.
    await up.restart({ settings: settingsWith(up.settings, [], { enabled: false }) });
    await up.restart();
    const after = up.upstream.server("broken");
    expect(after.failedAt).not.toBeNull();
    expect(after.lastError).toBe(before.lastError);

    await up.upstream.update("broken", { ...fixture("echoes"), command: process.execPath });
    await up.upstream.settled();
    expect(up.upstream.server("broken")).toMatchObject({ state: "ready", lastError: null, failedAt: null });
    await up.restart();
    expect(up.upstream.server("broken")).toMatchObject({ state: "idle", lastError: null, failedAt: null });
  });

  it("is not idle while nobody uses it, and a call still starts it", async () => {
    await using up = await testUpstream();
    await up.upstream.add("once", fixture("echoes"));
    await up.upstream.settled();
    const { id } = up.upstream.server("once");
    // As a process that ended after a failed start left it.
    await up.store.servers.update(id, { lastError: "its process ended (exit code 3)", failedAt: 1_000 });
    await up.restart();
    expect(up.upstream.server("once")).toMatchObject({ state: "unavailable", failedAt: 1_000 });
    expect(up.tool("mcp_once_echo").status().kind).toBe("active");
    expect(await up.call("mcp_once_echo", { text: "hi" })).toMatchObject({ kind: "output" });
    expect(up.upstream.server("once")).toMatchObject({ state: "ready", lastError: null, failedAt: null });
  });
});

describe("adding a server under a name that is taken", () => {
  it("replaces a server that never worked, values and all, and tries even the same again", async () => {
    await using up = await testUpstream();
    await up.upstream.add("fs", { ...ABSENT, env: { KEY: "secret-value-one" } });
    await up.upstream.settled();
    const { id } = up.upstream.server("fs");

    await up.upstream.add("fs", ABSENT);
    await up.upstream.settled();
    expect(up.upstream.server("fs")).toMatchObject({ id, state: "unavailable", envKeys: [] });

    await up.upstream.add("fs", fixture("echoes"));
    await up.upstream.settled();
    expect(up.upstream.server("fs")).toMatchObject({ id, state: "ready", toolCount: 1 });
  });

  it("leaves what is there when the new one makes no usable server", async () => {
    await using up = await testUpstream();
    await up.upstream.add("fs", ABSENT);
    await up.upstream.settled();
    await expect(up.upstream.add("fs", { command: "" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(up.upstream.server("fs")).toMatchObject({ command: ABSENT.command, state: "unavailable" });
  });

  it("refuses where the server has worked, waits for a person, or an agent asks", async () => {
    await using up = await testUpstream();
    const refusal = { code: "NAME_TAKEN", message: expect.stringContaining("toolkeep server edit") };
    await up.upstream.add("well", fixture("echoes"));
    await up.upstream.settled();
    await expect(up.upstream.add("well", ABSENT)).rejects.toMatchObject(refusal);

    await up.upstream.add("agents", ABSENT, { addedBy: "main" });
    await up.upstream.settled();
    await expect(up.upstream.add("agents", ABSENT)).rejects.toMatchObject(refusal);

    await up.upstream.add("broken", ABSENT);
    await up.upstream.settled();
    await expect(up.upstream.add("broken", fixture("echoes"), { addedBy: "main" })).rejects.toMatchObject({
      code: "NAME_TAKEN",
    });
    expect(up.upstream.server("broken").command).toBe(ABSENT.command);
  });
});

inDeep("whoever waits for one server does not wait for others that hang, however many", async () => {
  await using up = await testUpstream();
  // More than are connected to at the same time.
  for (const index of [1, 2, 3, 4, 5, 6])
    await up.upstream.add(`hangs${index}`, { ...fixture("hangs on connect"), connectTimeoutMs: 600_000 });
  await up.upstream.add("quick", fixture("echoes"));
  await up.upstream.settled("quick");
  expect(up.upstream.server("quick")).toMatchObject({ toolCount: 1, lastError: null });
  expect(up.upstream.server("hangs1").state).toBe("connecting");
});
