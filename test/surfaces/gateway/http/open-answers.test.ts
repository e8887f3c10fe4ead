import { describe, expect, it } from "vitest";
import { INITIALIZE, type TestGateway, testGateway } from "../../../support/test-gateway.ts";

async function openStream(gateway: TestGateway, token: string): Promise<Response> {
  const begun = await gateway.fetch({ token, body: INITIALIZE });
  const headers = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  return gateway.fetch({ method: "GET", token, headers });
}

describe("an open stream", () => {
  it("ends when its token is deleted", async () => {
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { sweepMs: 10 } });
    const { token, record } = await gateway.hub.identity.createToken({ agent: "a" });
    const stream = await openStream(gateway, token);
    await gateway.hub.identity.deleteToken(record.id);
    await expect(stream.text()).rejects.toThrow();
  });

  it("ends when its token expires", async () => {
    let now = 1_000;
    const clock = () => now;
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { sweepMs: 10, clock } });
    const stream = await openStream(gateway, await gateway.token("a", { expiresInMs: 3_600_000 }));
    now = Date.now() + 3_600_001;
    await expect(stream.text()).rejects.toThrow();
  });

  it("outlives the tokens of others", async () => {
    await using gateway = await testGateway({ agents: { a: [] }, gateway: { sweepMs: 10 } });
    const other = await gateway.hub.identity.createToken({ agent: "a" });
    const [lost, kept] = [
      await openStream(gateway, other.token),
      await openStream(gateway, await gateway.token("a")),
    ];
    await gateway.hub.identity.deleteToken(other.record.id);
    await expect(lost.text()).rejects.toThrow();
    await gateway.stop();
    expect(await kept.text()).toBe("");
  });
});
