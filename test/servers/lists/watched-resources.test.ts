import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { OfferOrigin, ResourceUpdate } from "../../../src/contract/offer.ts";
import type { UpstreamDeps } from "../../../src/servers/upstream.ts";
import { inDeep, sampleOf } from "../../support/length.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { legacyHttp } from "../../support/servers/legacy-http.ts";
import { said, type TestUpstream, testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const A = "file:///a.txt";
const B = "file:///b.txt";

describe.each(sampleOf(["legacy", "modern"], 1))("resources of a %s server", (era) => {
  test("are told about when they change, until whoever watches leaves", async () => {
    await using up = await open(era);
    const a = watch(up, A);
    expect(await a.followed).toEqual({ ok: true, value: undefined });
    expect(await asked(up)).toEqual([A]);
    await touch(up, A);
    await waitUntil("the change is told", () => a.told.length === 1);
    await touch(up, `${A}/part`);
    await waitUntil("a changed part is told", () => a.told.length === 2);
    await touch(up, B);
    a.end.abort();
    await waitUntil("the server is asked no more", async () => (await asked(up)).length === 0);
    expect(a.told).toEqual([{ uri: A }, { uri: `${A}/part` }]);
  });

  test("are asked for once, however many watch them", async () => {
    await using up = await open(era);
    const all = [watch(up, A), watch(up, A), watch(up, B)];
    for (const { followed } of all) expect((await followed).ok).toBe(true);
    expect(await asked(up)).toEqual([A, B]);
    await touch(up, A);
    await waitUntil("both are told", () => all[0]?.told.length === 1 && all[1]?.told.length === 1);
    all[0]?.end.abort();
    await touch(up, B);
    await waitUntil("another is told", () => all[2]?.told.length === 1);
    expect(await asked(up)).toEqual([A, B]);
    expect(all[0]?.told).toHaveLength(1);
  });

  test("about which the server tells nothing are refused, and the others are still told", async () => {
    await using up = await open(era);
    const [a, mute] = [watch(up, A), watch(up, "file:///mute")];
    expect((await a.followed).ok).toBe(true);
    expect(await mute.followed).toEqual({ ok: false, error: expect.stringContaining("the server ") });
    await touch(up, A);
    await waitUntil("the change is told", () => a.told.length === 1);
    expect(await asked(up)).toEqual([A]);
  });

  test("are followed again after the server died, and count as changed", async () => {
    await using up = await open(era, { backoffMs: [10] });
    const a = watch(up, A);
    await a.followed;
    await up.call("mcp_docs_die");
    await waitUntil("it is told that they may have changed", () => a.told.length === 1, 15_000);
    expect(await asked(up)).toEqual([A]);
    await touch(up, A);
    await waitUntil("changes are told again", () => a.told.length === 2);
  });

  test("keep their server running for as long as somebody watches", async () => {
    await using up = await open(era, { idleMs: 300 });
    await up.upstream.add("other", up.server);
    const a = watch(up, A);
    await a.followed;
    const state = (name: string) => up.upstream.server(name).state;
    await waitUntil("one that was used later rests", () => state("other") === "idle");
    expect(state("docs")).toBe("ready");
    a.end.abort();
    await waitUntil("it rests too", () => state("docs") === "idle");
  });

  test("that change all the time are told about ten times a second", async () => {
    await using up = await open(era);
    const a = watch(up, A);
    await a.followed;
    const startedAt = Date.now();
    for (let touches = 0; touches < 50; touches++) await touch(up, A);
    await waitUntil("the last change is told", () => a.told.length > 1);
    expect(a.told.length).toBeLessThanOrEqual(2 + (Date.now() - startedAt) / 100);
  });
});

inDeep(
  "a stream that the server ends is opened again, and what it told about counts as changed",
  async () => {
    await using up = await open("modern");
    const a = watch(up, A);
    await a.followed;
    await up.call("mcp_docs_end");
    await waitUntil("it is told that it may have changed", () => a.told.length === 1);
    expect(await asked(up)).toEqual([A]);
  },
);

inDeep("a session that was lost is noticed, and followed again in the next", async () => {
  const streams: ServerResponse[] = [];
  const followed: string[] = [];
  const server = legacyHttp(
    [],
    {
      GET: ({ response }) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        streams.push(response);
      },
      "resources/list": () => ({ resources: [{ uri: A, name: "a" }] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "resources/subscribe": ({ params, request }) => {
        followed.push(`${params.uri} ${request.headers["mcp-session-id"]}`);
        return {};
      },
    },
    { tools: {}, resources: { subscribe: true } },
  );
  await using remote = await remoteServer(server);
  await using up = await testUpstream({ backoffMs: [10] });
  await up.upstream.add("docs", { url: remote.url });
  await waitUntil("its offers are known", () => docs(up).offers.length === 1);
  const a = watch(up, A);
  expect((await a.followed).ok).toBe(true);
  await waitUntil("its stream is open", () => streams.length === 1);

  server.forgetSessions();
  for (const stream of streams.splice(0)) stream.destroy();
  await waitUntil("it is followed again", () => followed.length === 2, 20_000);
  expect(new Set(followed).size).toBe(2);
  await waitUntil("it is told that it may have changed", () => a.told.length === 1);
  await waitUntil("its new stream is open", () => streams.length === 1);
  const update = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: A } };
  streams[0]?.write(`data: ${JSON.stringify(update)}\n\n`);
  await waitUntil("changes are told again", () => a.told.length === 2);
});

test("a server that cannot be started is said to be why nothing is told", async () => {
  await using up = await open("legacy");
  await up.upstream.update("docs", { command: "/nonexistent/server" });
  await up.upstream.settled();
  expect(await watch(up, A).followed).toEqual({ ok: false, error: expect.stringContaining("docs") });
});

test("nothing is left behind when Toolkeep stops while somebody watches", async () => {
  const up = await open("legacy");
  await watch(up, A).followed;
  await up[Symbol.asyncDispose]();
  expect(await up.children()).toEqual([]);
});

async function open(era: string, setup: Partial<UpstreamDeps> = {}) {
  const up = await testUpstream(setup);
  const script = join(import.meta.dirname, "../../support/servers/lists.mjs");
  const server = { command: process.execPath, args: [script, era, "tells of resources"] };
  await up.upstream.add("docs", server);
  await waitUntil("its offers are known", () => docs(up).offers.length === 4);
  await up.upstream.settled();
  return Object.assign(up, { server });
}

function docs(up: TestUpstream): OfferOrigin {
  return up.upstream.origins().find(({ name }) => name === "docs")!;
}

function watch(up: TestUpstream, uri: string) {
  const told: ResourceUpdate[] = [];
  const end = new AbortController();
  const followed = docs(up).watch(uri, (update) => told.push(update), end.signal);
  return { told, end, followed };
}

async function touch(up: TestUpstream, uri: string): Promise<void> {
  await up.call("mcp_docs_touch", { uri });
}

/** What the server was asked to tell about. */
async function asked(up: TestUpstream): Promise<string[]> {
  return JSON.parse(said(await up.call("mcp_docs_followed")));
}
