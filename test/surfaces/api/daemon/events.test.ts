import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../../src/lib/clock.ts";
import { findDaemon } from "../../../../src/surfaces/daemon/daemon-file.ts";
import { createLog } from "../../../../src/surfaces/daemon/log/log.ts";
import { startDaemon } from "../../../../src/surfaces/daemon/start-daemon.ts";
import { browser } from "../../../support/browser.ts";
import { EventReader } from "../../../support/event-reader.ts";
import { inDeep } from "../../../support/length.ts";
import { tempHome } from "../../../support/temp-home.ts";
import { ADMIN_TOKEN, type TestApi, testApi } from "../../../support/test-api.ts";
import { fixture } from "../../../support/upstream.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const AUTHORIZATION = { authorization: `Bearer ${ADMIN_TOKEN}` };

type Setup = NonNullable<Parameters<typeof testApi>[0]>;

interface Listening extends TestApi {
  readonly url: string;
  listen(query?: string, headers?: Record<string, string>): Promise<EventReader>;
}

async function listening(setup: Setup = {}): Promise<Listening> {
  const api = await testApi(setup);
  const url = await api.app.listen({ host: "127.0.0.1", port: 0 });
  return {
    ...api,
    url,
    listen: (query = "", headers = {}) =>
      EventReader.open(`${url}/api/events${query}`, { ...AUTHORIZATION, ...headers }),
  };
}

describe("/api/events", () => {
  /** For tests that want no settings of their own. */
  let shared: Listening;
  beforeAll(async () => {
    shared = await listening({ agents: { main: [] } });
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  it("tells what happens, with the fields of each event", async () => {
    const api = shared;
    const reader = await api.listen();
    const { body } = await api.request("POST", "/api/call", { name: "list_directory", agent: "main" });
    await waitUntil("the call's end is told", () => reader.names.includes("call.ended"));
    expect(reader.events.find(({ event }) => event === "call.ended")).toEqual({
      id: expect.stringMatching(/^\w+-\d+$/),
      event: "call.ended",
      data: {
        callId: body.callId,
        tool: "list_directory",
        agent: "main",
        outcome: "ok",
        durationMs: expect.any(Number),
      },
    });
    expect(reader.names.indexOf("call.started")).toBeLessThan(reader.names.indexOf("call.ended"));
  });

  it("tells that servers, tokens, agents and toolboxes come, change and go", async () => {
    const api = shared;
    const types = "server.changed,token.changed,agent.changed,toolbox.changed";
    const reader = await api.listen(`?types=${types}`);
    await api.request("POST", "/api/agents", { name: "first" });
    const { record } = (await api.request("POST", "/api/tokens", { agent: "first" })).body;
    await api.request("DELETE", `/api/tokens/${record.id}`);
    await api.request("POST", "/api/toolboxes", { name: "first-box", tools: ["read_file"] });
    await api.request("POST", "/api/servers", { name: "s", command: "false", enabled: false });
    await api.request("PATCH", "/api/servers/s", { name: "t" });
    await api.request("DELETE", "/api/servers/t");
    await waitUntil("all of it is told", () => reader.events.length >= 7);
    expect(reader.events.map(({ event, data }) => [event, data])).toEqual([
      ["agent.changed", { agent: "first" }],
      ["token.changed", { token: record.id, change: "created" }],
      ["token.changed", { token: record.id, change: "revoked" }],
      ["toolbox.changed", { toolbox: "first-box" }],
      ["server.changed", { server: "s", change: "added" }],
      ["server.changed", { server: "t", change: "changed" }],
      ["server.changed", { server: "t", change: "removed" }],
    ]);
  });

  it("narrows to the types asked for, and refuses one that there is not", async () => {
    const api = shared;
    const reader = await api.listen("?types=toolbox.changed");
    await api.request("POST", "/api/agents", { name: "second" });
    await api.request("POST", "/api/toolboxes", { name: "second-box", tools: ["read_file"] });
    await waitUntil("the toolbox is told", () => reader.events.length > 0);
    expect(reader.names).toEqual(["toolbox.changed"]);
    const refused = await api.request("GET", "/api/events?types=call.ended,call.finished");
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain('got "call.finished"');
  });

  it("gives a reader who comes back what happened meanwhile, in order, and nothing twice", async () => {
    const api = shared;
    const first = await api.listen("?types=agent.changed");
    await api.request("POST", "/api/agents", { name: "a" });
    await waitUntil("the first is told", () => first.events.length === 1);
    first.leave();
    await api.request("POST", "/api/agents", { name: "b" });
    await api.request("POST", "/api/toolboxes", { name: "box", tools: ["read_file"] });
    await api.request("POST", "/api/agents", { name: "c" });
    const again = await api.listen("?types=agent.changed", { "last-event-id": first.events[0]!.id! });
    await api.request("POST", "/api/agents", { name: "d" });
    await waitUntil("all are told", () => again.events.length === 3);
    expect(again.events.map(({ data }) => data)).toEqual([{ agent: "b" }, { agent: "c" }, { agent: "d" }]);
  });

  it.each(["of another process", "older than what is kept", "made up"])(
    "says that something was missed to one whose last event is %s",
    async (kind) => {
      await using api = await listening({ options: { events: { limits: { kept: 2 } } } });
      const first = await api.listen("?types=agent.changed");
      await api.request("POST", "/api/agents", { name: "a" });
      await waitUntil("the first is told", () => first.events.length === 1);
      const { id = "" } = first.events[0]!;
      for (const name of ["b", "c", "d", "e", "f"]) await api.request("POST", "/api/agents", { name });
      const lastEventId = {
        "of another process": id.replace(/^\w+/, "other"),
        "older than what is kept": id,
        "made up": `${id.split("-")[0]}-999999`,
      }[kind]!;
      const reader = await api.listen("?types=agent.changed", { "last-event-id": lastEventId });
      await waitUntil("it is told", () => reader.events.length > 0);
      expect(reader.events[0]).toMatchObject({ event: "missed", data: {} });
    },
  );

  it("sends a comment at every heartbeat, which moves a quiet reader's place on", async () => {
    await using api = await listening({ options: { events: { heartbeatMs: 30 } } });
    const reader = await api.listen("?types=toolbox.changed");
    await api.request("POST", "/api/agents", { name: "a" });
    await waitUntil("it beats with the place of now", () =>
      reader.blocks.some((block) => /^: still here\nid: \w+-[1-9]\d*$/.test(block)),
    );
    expect(reader.events).toEqual([]);
  });

  it("takes no more readers than it may, and one more when one has left", async () => {
    await using api = await listening({ options: { events: { limits: { streams: 2 } } } });
    const [first] = [await api.listen(), await api.listen()];
    const refused = await fetch(`${api.url}/api/events`, { headers: AUTHORIZATION });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(await refused.json()).toMatchObject({ error: { code: "TOO_MANY" } });
    first!.leave();
    await waitUntil("it is noticed", () => streams(api, 1));
    await api.listen();
    expect(await streams(api, 2)).toBe(true);
  });

  inDeep(
    "cuts off a reader who does not read, and nobody else",
    async () => {
      await using api = await listening({ options: { events: { limits: { backlogBytes: 100_000 } } } });
      const { port } = new URL(api.url);
      const lazy = connect({ host: "127.0.0.1", port: Number(port) });
      let closed = false;
      lazy.on("error", () => {}).on("close", () => (closed = true));
      lazy.write(
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`,
      );
      await new Promise<void>((resolve) => lazy.once("data", () => resolve()));
      lazy.pause();
      const eager = await api.listen("?types=notification.raised");
      let sent = 0;
      // Until the sockets of both sides are full, and what waits behind them is too much; the other reader keeps up.
      while (!(await streams(api, 1)) && sent < 50_000) {
        for (let i = 0; i < 50; i++) {
          api.hub.events.emit("notification.raised", { id: `n${sent++}`, title: "x".repeat(900) });
        }
        await waitUntil("the other has read it", () => eager.events.length === sent);
      }
      expect(await streams(api, 1)).toBe(true);
      lazy.resume();
      await waitUntil("its connection ended", () => closed);
      expect(eager.ended).toBe(false);
    },
    60_000,
  );

  it("ends at once for somebody who is signed out, disabled or removed, and for nobody else", async () => {
    const api = shared;
    for (const name of ["eve", "zoe", "ada"]) await api.hub.people.add(name, "viewer");
    const streams = await Promise.all(
      ["eve", "zoe", "ada", undefined].map(async (name) => {
        const { cookie } = await browser(api.app, ADMIN_TOKEN, name);
        return EventReader.open(`${api.url}/api/events?types=call.ended`, { cookie });
      }),
    );
    await api.hub.people.edit("ada", { role: "operator" });
    await api.hub.people.sessions.endAllOf(api.hub.people.person("eve").id);
    await api.hub.people.edit("zoe", { disabled: true });
    await api.hub.people.remove("ada");
    await waitUntil("three streams ended", () => streams.slice(0, 3).every((stream) => stream.ended), 5_000);
    expect(streams[3]!.ended).toBe(false);
    streams[3]!.leave();
  });

  it("ends with the token that opened it, at once", async () => {
    const api = shared;
    const { token, record } = await api.hub.identity.createToken({});
    const [revoked, other] = [await api.listen("", { authorization: `Bearer ${token}` }), await api.listen()];
    await api.request("DELETE", `/api/tokens/${record.id}`);
    await waitUntil("the stream ended", () => revoked.ended, 5_000);
    expect(other.ended).toBe(false);
  });

  it("ends when its token expires", async () => {
    let now = 1_000;
    await using api = await listening({ clock: () => now, options: { events: { heartbeatMs: 20 } } });
    const { token, record } = await api.hub.identity.createToken({ expiresInMs: 3_600_000 });
    const reader = await api.listen("", { authorization: `Bearer ${token}` });
    await waitUntil("it beats", () => reader.blocks.length > 2);
    expect(reader.ended).toBe(false);
    now = record.expiresAt! + 1;
    await waitUntil("the stream ended", () => reader.ended);
  });

  it("ends at once when the daemon does", async () => {
    const api = await listening();
    const reader = await api.listen();
    await api[Symbol.asyncDispose]();
    await waitUntil("the stream ended", () => reader.ended, 1_000);
  });

  it("does not wait for calls under way when the daemon ends", async () => {
    await using home = await tempHome();
    const daemon = await startDaemon({
      env: { PATH: process.env.PATH, TOOLKEEP_HOME: home.path, TOOLKEEP_PORT: "0" },
      cwd: home.path,
      log: createLog({ level: "error", human: false, write() {} }),
      version: "0",
      clock: systemClock,
      firstStart: false,
    });
    const { url, token } = (await findDaemon(home.path))!;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const caller = new AbortController();
    const post = (path: string, body: object) =>
      fetch(url + path, { method: "POST", headers, body: JSON.stringify(body), signal: caller.signal });
    const server = { name: "fix", wait: true, ...fixture("hangs on a call") };
    expect((await post("/api/servers", server)).status).toBe(201);
    const reader = await EventReader.open(`${url}/api/events`, headers);
    const call = post("/api/call", { name: "mcp_fix_hang" }).catch(() => undefined);
    await waitUntil("the call runs", () => reader.names.includes("call.started"));

    let closed = false;
    const closing = daemon.close().then(() => {
      closed = true;
    });
    await waitUntil("the stream ended", () => reader.ended, 5_000);
    expect(closed).toBe(false);
    caller.abort();
    await Promise.all([closing, call]);
  }, 60_000);

  it("tells no secret and cuts what is too long", async () => {
    const api = shared;
    await api.hub.vault.put("KEY", "canary-secret-value");
    const reader = await api.listen("?types=call.ended,server.state");
    const call = (name: string) =>
      api.hub.callTool({ name, arguments: {}, caller: api.caller("main"), via: "api" });
    await call("canary-secret-value");
    await call(`${"x".repeat(985)}canary-secret-value${"y".repeat(100_000)}`);
    await api.request("POST", "/api/servers", {
      name: "dies",
      wait: true,
      ...fixture("dies at once"),
      env: { TOKEN: "canary-in-env" },
    });
    await waitUntil("both are told", () => reader.events.length >= 2);
    const told = JSON.stringify(reader.events);
    expect(told).toContain("[redacted]");
    expect(told).not.toContain("canary");
    expect(Math.max(...reader.blocks.map((block) => block.length))).toBeLessThan(2_000);
  });

  it("is no page: other agents' tokens and nobody get none", async () => {
    const api = shared;
    const { token } = await api.hub.identity.createToken({ agent: "main" });
    expect((await fetch(`${api.url}/api/events`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${api.url}/api/events`, { headers })).status).toBe(403);
  });
});

async function streams(api: TestApi, count: number): Promise<boolean> {
  const metrics = await api.app.inject({ url: "/metrics", headers: AUTHORIZATION });
  return metrics.body.includes(`\ntoolkeep_event_streams ${count}\n`);
}
