import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { remoteServer } from "../support/remote-server.ts";
import { type Exchange, legacyHttp, said as saying } from "../support/servers/legacy-http.ts";
import { fixture, said } from "../support/upstream.ts";
import { FAULTY, freshUpstream } from "./fresh-upstream.ts";
import { expectMemoryBelow, memoryAtRest, memoryFrom } from "./memory.ts";

const it = freshUpstream({ backoffMs: [300] });
const MB = 1024 * 1024;
/** What a flood of 15 MB and more may leave behind in memory, and what it may need at any moment while it lasts. */
const LEFT_MB = 8;
const PEAK_MB = 40;
/**
 * A call to another server is answered within this, whatever comes in meanwhile. By the clock: a machine with other work stands still for a second
 * and more, and a flood that nobody bounds holds calls up for tens of seconds.
 */
const OTHER_CALL_MS = 5_000;
const LINES = 3_000;

describe("a local server that floods us with", () => {
  test.each([
    "lines on stderr",
    "junk",
    "almost messages",
    "unknown notifications",
    "progress of the call",
    "progress of nothing",
    "log messages",
    "list changes",
    "answers to nothing",
    "pings",
    "unknown requests",
    "questions to a person",
    "questions to a model",
  ])(
    "%s answers its call in the end; memory stays flat and other servers are as quick as ever",
    async (kind) => {
      await it.add("flood", FAULTY);
      await it.add("calm", fixture("echoes"));

      const flooded = await undisturbed(() => it.up.call("mcp_flood_flood", { kind, times: LINES }));

      expect(said(flooded)).toBe(`flooded ${LINES} times`);
      expect(said(await it.up.call("mcp_flood_echo", { x: 1 }))).toBe('{"x":1}');
    },
  );

  test("a line of 50 MB is cut off with a reason", async () => {
    await it.add("flood", FAULTY);
    await it.add("calm", fixture("echoes"));
    const result = await undisturbed(() => it.up.call("mcp_flood_line", { bytes: 50 * MB }));
    expect(result).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than 4194304 bytes"),
    });
  });

  test("an answer of 50 MB is cut off with a reason", async () => {
    await it.add("huge", fixture("sends a huge message", String(50 * MB)));
    await it.add("calm", fixture("echoes"));
    expect(await undisturbed(() => it.up.call("mcp_huge_flood"))).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than 4194304 bytes"),
    });
  });

  test("output without end or newline is cut off", async () => {
    await it.add("flood", fixture("floods stdout without a newline"));
    await it.add("calm", fixture("echoes"));
    expect(await undisturbed(() => it.up.call("mcp_flood_flood"))).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("it sent a message of more than"),
    });
  });

  test("junk lines without end leaves time for everything else", async () => {
    await it.add("flood", fixture("floods stdout with junk lines"));
    await it.add("calm", fixture("echoes"));
    // Long enough for a process to start on a busy machine: what is cut off before the flood is no flood.
    const signal = AbortSignal.timeout(3_000);
    expect(await undisturbed(() => it.up.call("mcp_flood_flood", {}, { signal }))).toMatchObject({
      kind: "failed",
    });
  });

  test("junk on stdout and stderr is skipped", async () => {
    await it.add("chatty", fixture("prints junk"));
    expect(said(await it.up.call("mcp_chatty_echo"))).toBe("done");
  });
});

describe("a remote server that floods us with", () => {
  const floods: Readonly<Record<string, (n: number) => unknown>> = {
    "unknown notifications": () => ({ method: "notifications/hello", params: { padding: PADDING } }),
    "log messages": () => ({ method: "notifications/message", params: { level: "info", data: PADDING } }),
    "list changes": () => ({ method: "notifications/tools/list_changed" }),
    "answers to nothing": (n) => ({ id: 10_000_000 + n, result: { padding: PADDING } }),
    "unknown requests": (n) => ({ id: `back-${n}`, method: "hello", params: { padding: PADDING } }),
  };
  const EVENTS = 3_000;

  test.each(Object.entries(floods))("%s in the stream of a call answers it in the end", async (_, flood) => {
    await using remote = await remoteServer(
      legacyHttp([{ name: "flood" }, { name: "echo" }], {
        "tools/call": (exchange) =>
          exchange.params.name === "echo" ? saying("alive") : floodStream(exchange, flood, EVENTS),
      }),
    );
    await it.add("flood", { url: remote.url });
    await it.add("calm", fixture("echoes"));
    expect(said(await undisturbed(() => it.up.call("mcp_flood_flood")))).toBe("flooded");
    expect(said(await it.up.call("mcp_flood_echo"))).toBe("alive");
  });

  test("events in the stream that it may open at any time leaves its calls alone", async () => {
    let events = 0;
    const counted = (n: number) => {
      events = n;
      return floods["log messages"]!(n);
    };
    await using remote = await remoteServer(
      legacyHttp([{ name: "echo" }], {
        GET: (exchange) => void floodStream(exchange, counted, EVENTS),
        "tools/call": () => saying("alive"),
      }),
    );
    await it.add("calm", fixture("echoes"));
    await undisturbed(async () => {
      await it.add("flood", { url: remote.url });
      await expect.poll(() => events, { timeout: 10_000 }).toBeGreaterThan(EVENTS / 4);
      expect(said(await it.up.call("mcp_flood_echo"))).toBe("alive");
    });
  });

  test.each([
    ["one answer without end", "application/json", "y"],
    ["one event without end", "text/event-stream", "y"],
  ])("%s is cut off with a reason", async (_, type, byte) => {
    await using remote = await remoteServer(
      legacyHttp([{ name: "flood" }], {
        "tools/call": ({ response }) => {
          response.writeHead(200, { "content-type": type });
          if (type === "text/event-stream") response.write("data: ");
          const piece = byte.repeat(65_536);
          const write = () => void (response.destroyed || response.write(piece, () => setImmediate(write)));
          write();
        },
      }),
    );
    await it.add("flood", { url: remote.url });
    await it.add("calm", fixture("echoes"));
    expect(await undisturbed(() => it.up.call("mcp_flood_flood"))).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("sent a message of more than 4194304 bytes"),
    });
  });
});

const PADDING = "p".repeat(5_000);

async function floodStream(
  { id, response }: Exchange,
  flood: (n: number) => unknown,
  times: number,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (message: unknown) =>
    `data: ${JSON.stringify({ jsonrpc: "2.0", ...(message as object) })}\n\n`;
  for (let sent = 0; sent < times && !response.destroyed; sent += 500) {
    const batch = Array.from({ length: 500 }, (_, index) => event(flood(sent + index))).join("");
    await new Promise((resolve) => response.write(batch, resolve));
  }
  response.end(event({ id, result: saying("flooded") }));
}

/** Runs `work` while the server `calm` is called all the time; memory and those calls must not suffer from it. */
async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const before = await memoryAtRest();
  let peak = before;
  let slowest = 0;
  let over = false;
  const watch = (async () => {
    for (let n = 0; !over; n++) {
      const startedAt = performance.now();
      expect(said(await it.up.call("mcp_calm_echo", { n }))).toBe(JSON.stringify({ n }));
      slowest = Math.max(slowest, performance.now() - startedAt);
      if (n % 12 === 11) peak = Math.max(peak, memoryFrom(before + PEAK_MB));
      await delay(30);
    }
  })();
  try {
    return await work();
  } finally {
    over = true;
    await watch;
    expect(slowest).toBeLessThan(OTHER_CALL_MS);
    expect(peak - before).toBeLessThan(PEAK_MB);
    await expectMemoryBelow(before + LEFT_MB);
  }
}
