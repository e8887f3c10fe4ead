import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { INITIALIZE, type TestGateway, testGateway } from "../../../support/test-gateway.ts";
import { EVERYTHING } from "../../../support/test-hub.ts";
import { waitUntil } from "../../../support/wait-until.ts";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });

async function begin(gateway: TestGateway, token: string): Promise<string> {
  const response = await gateway.fetch({ token, body: INITIALIZE });
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
}

async function ping(gateway: TestGateway, token: string, session: string): Promise<number> {
  const response = await gateway.fetch({ token, body: PING, headers: { "mcp-session-id": session } });
  await response.text();
  return response.status;
}

describe("sessions", () => {
  it("of one token are bounded: the one unused for longest makes room", async () => {
    let now = 1_000;
    const limits = { maxSessionsPerToken: 2 };
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { limits, clock: () => now++ } });
    const token = await gateway.token("a");
    const [first, second] = [await begin(gateway, token), await begin(gateway, token)];
    expect(await ping(gateway, token, first)).toBe(200);
    const third = await begin(gateway, token);
    expect(gateway.counts().sessions).toBe(2);
    expect(await ping(gateway, token, first)).toBe(200);
    expect(await ping(gateway, token, third)).toBe(200);
    // Its client does not notice: it is taken up again, and another one makes room.
    expect(await ping(gateway, token, second)).toBe(200);
    expect(gateway.counts().sessions).toBe(2);
  });

  it("in use make no room: one too many is refused", async () => {
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { limits: { maxSessions: 1 } } });
    const token = await gateway.token("a");
    const headers = { "mcp-session-id": await begin(gateway, token) };
    const stream = await gateway.fetch({ method: "GET", token, headers });
    expect(stream.status).toBe(200);
    const refused = await gateway.fetch({ token: await gateway.token("a"), body: INITIALIZE });
    expect(refused.status).toBe(503);
    await stream.body?.cancel();
  });

  it("end when nothing happened in them for too long, and not before", async () => {
    let now = 1_000;
    const limits = { idleMs: 60_000 };
    await using gateway = await testGateway({
      agents: { a: [] },
      gateway: { limits, clock: () => now, sweepMs: 10 },
    });
    const token = await gateway.token("a");
    const [idle, listening] = [await begin(gateway, token), await begin(gateway, token)];
    const stream = await gateway.fetch({ method: "GET", token, headers: { "mcp-session-id": listening } });
    expect(gateway.counts().sessions).toBe(2);
    now += 59_000;
    await delay(50);
    expect(gateway.counts().sessions).toBe(2);
    now += 2_000;
    await waitUntil("the idle session is closed", () => gateway.counts().sessions === 1);
    expect(await ping(gateway, token, listening)).toBe(200);
    expect(gateway.counts().sessions).toBe(1);
    expect(await ping(gateway, token, idle)).toBe(200);
    await stream.body?.cancel();
  });

  it("that were never begun leave nothing behind", async () => {
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { limits: { maxSessions: 1 } } });
    const token = await gateway.token("a");
    const kept = await begin(gateway, token);
    const twice = `[${INITIALIZE},${INITIALIZE}]`;
    const refused = await gateway.fetch({ token: await gateway.token("a"), body: twice });
    expect(refused.status).toBe(400);
    const nameless = INITIALIZE.replace('"protocolVersion":"2025-06-18",', "");
    expect(await ping(gateway, token, kept)).toBe(200);
    expect(await (await gateway.fetch({ token, body: nameless })).json()).toMatchObject({
      error: { code: -32602 },
    });
    expect(await ping(gateway, token, await begin(gateway, token))).toBe(200);
  });

  it("tell only those whose own list changed", async () => {
    await using gateway = await testGateway({
      servers: { everything: EVERYTHING },
      agents: { changing: [], staying: [] },
    });
    await gateway.hub.upstream.test("everything");
    const listen = async (agent: string) => {
      const token = await gateway.token(agent);
      const headers = { "mcp-session-id": await begin(gateway, token) };
      return gateway.fetch({ method: "GET", token, headers });
    };
    const [changing, staying] = [await listen("changing"), await listen("staying")];
    await gateway.hub.identity.updateAgent("staying", { description: "other words, the same tools" });
    await gateway.hub.identity.updateAgent("changing", { grants: ["mcp_everything_echo"] });
    const heard = await changing.body?.getReader().read();
    expect(Buffer.from(heard?.value ?? []).toString()).toContain("notifications/tools/list_changed");
    await gateway.stop();
    expect(await staying.text()).not.toContain("list_changed");
  });

  it("are taken up by a daemon that does not know them, for their token and address only", async () => {
    await using gateway = await testGateway({
      agents: { a: ["box"] },
      toolboxes: { box: [] },
    });
    const token = await gateway.token("a");
    const session = await begin(gateway, token);
    const other = await gateway.again();
    const pingAt = async (url: string, bearer: string, id: string) => {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${bearer}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": id,
        },
        body: PING,
      });
      await response.text();
      return response.status;
    };
    expect(await pingAt(other, token, session)).toBe(200);
    expect(await pingAt(other, await gateway.token("a"), session)).toBe(404);
    expect(await pingAt(`${other}/box`, token, session)).toBe(404);
    expect(await pingAt(other, token, `${session}AAAA`)).toBe(404);
    expect(await pingAt(other, token, `Z${session.slice(1)}`)).toBe(404);
  });

  it("that are taken up have their clients look at every list again", async () => {
    await using gateway = await testGateway({ agents: { a: [] } });
    const token = await gateway.token("a");
    const session = await begin(gateway, token);
    const response = await fetch(await gateway.again(), {
      headers: {
        authorization: `Bearer ${token}`,
        accept: "text/event-stream",
        "mcp-session-id": session,
        "last-event-id": "7-3",
      },
    });
    const heard = await response.body?.getReader().read();
    expect(Buffer.from(heard?.value ?? []).toString()).toContain("notifications/tools/list_changed");
  });
});
