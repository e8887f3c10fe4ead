import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { INITIALIZE, type TestGateway, testGateway } from "../support/test-gateway.ts";
import { EVERYTHING } from "../support/test-hub.ts";
import { waitUntil } from "../support/wait-until.ts";

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
    expect(await ping(gateway, token, second)).toBe(404);
    expect(await ping(gateway, token, first)).toBe(200);
    expect(await ping(gateway, token, third)).toBe(200);
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
    await waitUntil("the idle session is closed", async () => {
      now += 60_001;
      await delay(100);
      return (await ping(gateway, token, idle)) === 404;
    });
    expect(await ping(gateway, token, listening)).toBe(200);
    await stream.body?.cancel();
  });

  it("that were never begun leave nothing behind", async () => {
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { limits: { maxSessions: 1 } } });
    const token = await gateway.token("a");
    const kept = await begin(gateway, token);
    const twice = `[${INITIALIZE},${INITIALIZE}]`;
    const refused = await gateway.fetch({ token: await gateway.token("a"), body: twice });
    expect(refused.status).toBe(400);
    expect(await ping(gateway, token, kept)).toBe(404);
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
});
