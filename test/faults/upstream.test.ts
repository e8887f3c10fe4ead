import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServerInput } from "../../src/upstream/upstream.ts";
import { fixture, said, type TestUpstream, testUpstream } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";

let up: TestUpstream;
let before: number[];

beforeEach(async () => {
  up = await testUpstream({ backoffMs: [2000, 200] });
  before = await up.children();
});

afterEach(async () => {
  await up[Symbol.asyncDispose]();
  const left = (await up.children()).filter((pid) => !before.includes(pid));
  expect(left).toEqual([]);
});

describe("a server that dies", () => {
  test("during a call: the call says so with exit code and stderr, without its secrets; then it is back", async () => {
    const env = { FIXTURE_TOKEN: "canary-in-stderr" };
    await add("mortal", { ...fixture("dies during a call"), env });

    const result = await up.call("mcp_mortal_die");

    expect(result).toEqual({
      kind: "unavailable",
      message:
        "mcp server mortal is unavailable: the connection was lost during the call: " +
        "its process ended (exit code 7); stderr: fatal: [redacted]",
    });
    expect(up.upstream.server("mortal")).toMatchObject({ state: "unavailable" });
    expect(up.tool("mcp_mortal_die").status().kind).toBe("unavailable");
    expect(await up.call("mcp_mortal_die")).toMatchObject({ kind: "unavailable" });

    await waitUntil("it was started again", () => up.upstream.server("mortal").state === "ready");
    expect(up.tool("mcp_mortal_die").status().kind).toBe("active");
    expect(JSON.stringify([up.states, up.warnings, await up.store.dump()])).not.toContain("canary-in-stderr");
  });

  test("after half a message: the call ends, nothing waits for the other half", async () => {
    await add("half", fixture("dies during a call after half a message"));
    expect(await up.call("mcp_half_die")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("exit code 0"),
    });
  });

  test("at once: the reason and what it wrote are shown", async () => {
    await add("stillborn", fixture("exits at once"));
    expect(up.upstream.server("stillborn")).toMatchObject({
      state: "unavailable",
      lastError: "its process ended (exit code 3); stderr: the configuration file is missing",
    });
  });
});

describe("a server that hangs", () => {
  test("on connect: given up after its own timeout", async () => {
    await add("mute", { ...fixture("hangs on connect"), connectTimeoutMs: 1500 });
    expect(up.upstream.server("mute").lastError).toBe("it did not answer within 1.5 s");
  });

  test("on its list: the handshake alone is not enough", async () => {
    await add("listless", { ...fixture("hangs on list"), connectTimeoutMs: 1500 });
    expect(up.upstream.server("listless").lastError).toBe("it did not answer within 1.5 s");
  });

  test("on a call: other calls are answered, and closing does not wait for it", async () => {
    await add("slow", fixture("hangs on a call"));
    const hanging = up.call("mcp_slow_hang");
    expect(said(await up.call("mcp_slow_cancelled"))).toBe("[]");
    await up.upstream.close();
    expect(await hanging).toMatchObject({ kind: "unavailable" });
  });
});

describe("a server that talks too much", () => {
  test("junk on stdout is skipped", async () => {
    await add("chatty", fixture("prints junk"));
    expect(said(await up.call("mcp_chatty_echo"))).toBe("done");
  });

  test("junk lines without end leave time for everything else", async () => {
    const delays = monitorEventLoopDelay({ resolution: 10 });
    await add("flood", fixture("floods stdout with junk lines"));
    delays.enable();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(delays.max / 1e6).toBeLessThan(2_000);
  });

  test("a message over the limit ends the connection with a reason", async () => {
    await add("huge", fixture("sends a huge message", String(5 * 1024 * 1024)));
    expect(await up.call("mcp_huge_flood")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than"),
    });
  });

  test("output without end or newline is cut off", async () => {
    await add("flood", fixture("floods stdout without a newline"));
    expect(await up.call("mcp_flood_flood")).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than"),
    });
  });
});

test("a command that does not exist is named", async () => {
  await add("absent", { command: "no-such-command-here" });
  expect(up.upstream.server("absent").lastError).toBe(
    'the command "no-such-command-here" was not found: install it, or give its full path',
  );
});

test("an address where nobody listens is unavailable, not a hang", async () => {
  await add("remote", { url: "http://127.0.0.1:9/mcp" });
  expect(up.upstream.server("remote")).toMatchObject({ state: "unavailable", lastError: expect.any(String) });
});

test("a broken server is tried again by a call once its pause is over, and a fixed one then answers", async () => {
  await add("broken", fixture("exits at once"));
  await up.upstream.update("broken", { args: fixture("echoes").args! });
  await up.upstream.settled();
  expect(await up.call("mcp_broken_echo", { x: 1 })).toMatchObject({ kind: "output" });
  expect(up.upstream.server("broken").lastError).toBeNull();
});

async function add(name: string, input: ServerInput): Promise<void> {
  await up.upstream.add(name, input);
  await up.upstream.settled();
}
