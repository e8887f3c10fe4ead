import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { ServerInput } from "../../src/servers/contract.ts";
import { type RemoteServer, remoteServer } from "../support/remote-server.ts";
import { legacyHttp, said as saying } from "../support/servers/legacy-http.ts";
import { stopwatch } from "../support/stopwatch.ts";
import { fixture, said } from "../support/upstream.ts";
import { waitUntil } from "../support/wait-until.ts";
import { FAULTY, freshUpstream } from "./fresh-upstream.ts";
import { expectMemoryBelow, memoryAtRest } from "./memory.ts";

const it = freshUpstream({ backoffMs: [50] });
const LIMIT_MS = 1_200;
const never = () => undefined;

interface Silence {
  readonly title: string;
  readonly server: () => Promise<ServerInput & AsyncDisposable> | (ServerInput & AsyncDisposable);
}

const HANGS: readonly Silence[] = [
  { title: "a process that never says anything", server: () => local("hangs on connect") },
  { title: "a process that shakes hands and never lists", server: () => local("hangs on list") },
  { title: "a port that accepts and says nothing", server: silentPort },
  {
    title: "an HTTP server that never answers the handshake",
    server: () => remote(legacyHttp([], { initialize: never })),
  },
  {
    title: "an HTTP server that opens a stream for its answer and leaves it empty",
    server: () =>
      remote((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": hello\n\n");
      }),
  },
  {
    title: "an HTTP server that shakes hands and never lists",
    server: () => remote(legacyHttp([], { "tools/list": never })),
  },
  {
    title: "an HTTP server that begins its list and never ends it",
    server: () =>
      remote(
        legacyHttp([], {
          "tools/list": ({ response }) =>
            void response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":"2.0",'),
        }),
      ),
  },
  {
    title: "an event stream of 2024-11-05 that never names its address",
    server: async () => ({
      ...(await remote((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": hello\n\n");
      })),
      transport: "sse",
    }),
  },
  {
    title: "an event stream of 2024-11-05 that never answers",
    server: async () => ({
      ...(await remote((request, response) => {
        if (request.method === "POST") return void response.writeHead(202).end();
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: endpoint\ndata: /messages\n\n");
      })),
      transport: "sse",
    }),
  },
];

describe("connecting", () => {
  test("is given up in time, whatever does not answer", async () => {
    const ends = HANGS.map(async ({ title, server }, index) => {
      await using input = await server();
      const name = `mute ${index}`;
      await it.add(name, { ...input, connectTimeoutMs: LIMIT_MS });
      return { title, lastError: it.up.upstream.server(name).lastError };
    });
    const took = stopwatch();

    const lastError = "it did not answer within 1.2 s";
    expect(await Promise.all(ends)).toEqual(HANGS.map(({ title }) => ({ title, lastError })));
    // Four at once, each with a process to end.
    expect(took()).toBeLessThan(Math.ceil(HANGS.length / 4) * (LIMIT_MS + 3_000));
  });

  test("is given up at once when Toolkeep closes", async () => {
    await it.up.upstream.add("mute", fixture("hangs on connect"));
    await waitUntil("it is being connected to", () => it.up.upstream.server("mute").state === "connecting");
    const took = stopwatch();
    await it.up.upstream.close();
    expect(took()).toBeLessThan(5_000);
  });
});

describe("a call that is never answered", () => {
  test("leaves other calls alone, and closing does not wait for it", async () => {
    await it.add("slow", fixture("hangs on a call"));
    const hanging = it.up.call("mcp_slow_hang");
    expect(said(await it.up.call("mcp_slow_cancelled"))).toBe("[]");
    await it.up.upstream.close();
    expect(await hanging).toMatchObject({ kind: "unavailable" });
  });

  test("of a local server is given up, and the server is told", async () => {
    await it.add("slow", fixture("hangs on a call"));
    const took = stopwatch();
    await it.up.call("mcp_slow_hang", {}, { signal: AbortSignal.timeout(200) });
    expect(took()).toBeLessThan(2_000);
    await waitUntil("the server heard of it", async () => {
      return said(await it.up.call("mcp_slow_cancelled")) !== "[]";
    });
    expect(it.up.upstream.server("slow").state).toBe("ready");
  });

  test("because the server sent only half of its answer is given up", async () => {
    await it.add("slow", FAULTY);
    await it.up.call("mcp_slow_echo");
    const raw = Buffer.from('{"jsonrpc":"2.0","id":ID,').toString("base64");
    const took = stopwatch();
    const result = await it.up.call("mcp_slow_say", { raw }, { signal: AbortSignal.timeout(300) });
    expect(result).toMatchObject({ kind: "failed" });
    expect(took()).toBeLessThan(2_000);
    expect(said(await it.up.call("mcp_slow_echo", { x: 1 }))).toBe('{"x":1}');
  });

  test.each([
    ["that says nothing", () => undefined],
    [
      "that opens a stream and leaves it empty",
      ({ response }) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(": wait\n\n"),
    ],
    [
      "that begins its answer and never ends it",
      ({ response }) =>
        void response.writeHead(200, { "content-type": "application/json" }).write('{"jsonrpc":"2.0",'),
    ],
  ] satisfies [string, NonNullable<Parameters<typeof legacyHttp>[1]>[string]][])(
    "of an HTTP server %s is given up, and the server is told",
    async (_, hang) => {
      const cancelled: unknown[] = [];
      await using server = await remoteServer(
        legacyHttp([{ name: "hang" }, { name: "echo" }], {
          "tools/call": (exchange) => (exchange.params.name === "hang" ? hang(exchange) : saying("alive")),
          "notifications/cancelled": ({ params }) => void cancelled.push(params.requestId),
        }),
      );
      await it.add("slow", { url: server.url });
      const took = stopwatch();
      await it.up.call("mcp_slow_hang", {}, { signal: AbortSignal.timeout(200) });
      expect(took()).toBeLessThan(2_000);
      await waitUntil("the server heard of it", () => cancelled.length > 0);
      expect(said(await it.up.call("mcp_slow_echo"))).toBe("alive");
      expect(it.up.upstream.server("slow").state).toBe("ready");
    },
  );

  test("because the server no longer reads its input ends as well, and calls do not pile up in memory", async () => {
    await it.add("deaf", FAULTY);
    await it.up.call("mcp_deaf_deafen");
    const before = await memoryAtRest();
    const padding = "x".repeat(1024 * 1024);
    const signal = AbortSignal.timeout(1_000);
    const took = stopwatch();
    const results = await Promise.all(
      Array.from({ length: 40 }, () => it.up.call("mcp_deaf_echo", { padding }, { signal })),
    );
    expect(took()).toBeLessThan(5_000);
    expect(results).toHaveLength(40);
    await expectMemoryBelow(before + 12);
  });
});

function local(behaviour: string): ServerInput & AsyncDisposable {
  return { ...fixture(behaviour), [Symbol.asyncDispose]: async () => {} };
}

async function remote(listener: Parameters<typeof remoteServer>[0]): Promise<ServerInput & AsyncDisposable> {
  const server: RemoteServer = await remoteServer(listener);
  return { url: server.url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function silentPort(): Promise<ServerInput & AsyncDisposable> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
