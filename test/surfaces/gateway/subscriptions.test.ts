import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { ERAS, type Era, type TestGateway, testGateway } from "../../support/test-gateway.ts";
import type { TestHubSetup } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const URI = "file:///a.txt";
const eras = Object.keys(ERAS) as Era[];

describe.each(eras.flatMap((client) => eras.map((server) => [client, server] as const)))(
  "a %s client of a %s server",
  (clientEra, serverEra) => {
    test("hears of the resource that it asked for until it leaves", async () => {
      await using gateway = await open(serverEra);
      const client = await gateway.client("reader", clientEra);
      const told: string[] = [];
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        told.push(params.uri);
      });
      const leave = await follow(client, clientEra);
      await touch(client, "file:///b.txt");
      await touch(client, URI);
      await waitUntil("the change is told", () => told.length === 1);
      expect(told).toEqual([URI]);
      await leave();
      await waitUntil("the server is asked no more", async () => (await followed(client)) === "[]");
    });
  },
);

test("of what one client may not read, it hears nothing, whoever else does", async () => {
  await using gateway = await open("legacy");
  const [reader, caller] = [
    await gateway.client("reader", "modern"),
    await gateway.client("caller", "legacy"),
  ];
  const told: string[] = [];
  caller.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  const leave = await follow(reader, "modern");
  await expect(caller.subscribeResource({ uri: URI })).rejects.toThrow();
  await touch(reader, URI);
  await leave();
  expect(told).toEqual([]);
});

describe.each(eras)("to hear of changes, for a client of the %s era,", (era) => {
  test("is recorded as a read is", async () => {
    await using gateway = await open("legacy");
    await (await follow(await gateway.client("reader", era), era))();
    const recorded = async () =>
      (await callTables(gateway.hub.store).calls.list({ limit: 50 })).find(
        ({ requested }) => requested === URI,
      );
    await waitUntil("it is recorded", async () => (await recorded()) !== undefined);
    expect(await recorded()).toMatchObject({ tool: `resource:${URI}`, outcome: "ok", decision: "allow" });
  });

  test("is refused where a rule wants a person to be asked, and the server hears nothing of it", async () => {
    await using gateway = await open("legacy", [{ action: "ask", permission: `resource:${URI}` }]);
    const client = await gateway.client("reader", era);
    if (era === "legacy") await expect(client.subscribeResource({ uri: URI })).rejects.toThrow(/approv/);
    else {
      const { honoredFilter } = await client.listen({ resourceSubscriptions: [URI] });
      expect(honoredFilter.resourceSubscriptions).toBeUndefined();
    }
    expect(await followed(client)).toBe("[]");
  });
});

/** Returns what ends it. */
async function follow(client: Client, era: Era): Promise<() => Promise<unknown>> {
  if (era === "legacy") {
    await client.subscribeResource({ uri: URI });
    return () => client.unsubscribeResource({ uri: URI });
  }
  const subscription = await client.listen({ resourceSubscriptions: [URI, "file:///mute"] });
  expect(subscription.honoredFilter.resourceSubscriptions).toEqual([URI]);
  return () => subscription.close();
}

async function touch(client: Client, uri: string): Promise<void> {
  await client.callTool({ name: "mcp_docs_touch", arguments: { uri } });
}

/** What the server was asked to tell about. */
async function followed(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "mcp_docs_followed", arguments: {} });
  return (content as { text: string }[])[0]?.text ?? "";
}

async function open(era: Era, rules: TestHubSetup["rules"] = []): Promise<TestGateway> {
  const script = join(import.meta.dirname, "../../support/servers/lists.mjs");
  const gateway = await testGateway({
    servers: { docs: { command: process.execPath, args: [script, era, "tells of resources"] } },
    toolboxes: { reading: ["mcp:docs:*"], calling: ["mcp_docs_touch"] },
    agents: { reader: ["reading"], caller: ["calling"] },
    rules,
    settings: { approvals: { wait_secs: 0 } },
  });
  await waitUntil("its offers are known", () =>
    gateway.hub.upstream.origins().every(({ offers }) => offers.length > 0),
  );
  return gateway;
}
