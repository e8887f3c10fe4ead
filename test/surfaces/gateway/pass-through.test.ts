import { afterAll, describe, expect, it } from "vitest";
import { callTables } from "../../support/call-tables.ts";
import { ERAS, type Era, testGateway } from "../../support/test-gateway.ts";
import { EVERYTHING } from "../../support/test-hub.ts";
import { waitUntil } from "../../support/wait-until.ts";

const gateway = await testGateway({
  servers: {
    everything: EVERYTHING,
    second: EVERYTHING,
  },
  toolboxes: {
    one: ["mcp:everything:*"],
    both: ["mcp:everything:*", "mcp:second:*"],
    tools: ["mcp_everything_echo"],
  },
  agents: { worker: ["one"], wide: ["both"], narrow: ["tools"] },
});
for (const name of ["everything", "second"]) await gateway.hub.upstream.test(name);
await waitUntil("the offers are known", () => gateway.hub.upstream.offers("second").length > 0);
await waitUntil("the offers are known", () => gateway.hub.upstream.offers("everything").length > 0);
afterAll(() => gateway[Symbol.asyncDispose]());

describe.each(Object.keys(ERAS) as Era[])("a client of the %s era", (era) => {
  it("lists and reads resources", async () => {
    const client = await gateway.client("worker", era);
    const { resources } = await client.listResources();
    const [first] = resources;
    expect(resources.map(({ uri }) => uri)).toEqual(resources.map(({ uri }) => uri).sort());
    const { contents } = await client.readResource({ uri: first?.uri ?? "" });
    expect(contents[0]).toMatchObject({ uri: first?.uri });
  });

  it("lists templates, and reads what they stand for", async () => {
    const client = await gateway.client("worker", era);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      "demo://resource/dynamic/text/{resourceId}",
    );
    const { contents } = await client.readResource({ uri: "demo://resource/dynamic/text/7" });
    expect(JSON.stringify(contents)).toContain("7");
  });

  it("is told which resource there is not, in the words of the server", async () => {
    const client = await gateway.client("worker", era);
    const uri = "nowhere://to-be-found";
    const error = await client.readResource({ uri }).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: -32602, data: { uri } });
  });

  it("lists and gets prompts by names that are unique, at a server's address by its own", async () => {
    const client = await gateway.client("wide", era);
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const prompt = names.find((name) => name.includes("everything") && name.includes("simple")) ?? "";
    expect((await client.getPrompt({ name: prompt })).messages.length).toBeGreaterThan(0);
    const own = await gateway.client("worker", era, { path: "/server/everything" });
    const ownNames = (await own.listPrompts()).prompts.map(({ name }) => name);
    expect(ownNames).toContain("simple-prompt");
    expect((await own.getPrompt({ name: "simple-prompt" })).messages.length).toBeGreaterThan(0);
  });

  it("has what it types completed", async () => {
    const client = await gateway.client("worker", era, { path: "/server/everything" });
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "Eng" },
    });
    expect(completion.values).toContain("Engineering");
  });

  it("with single tools only is offered nothing else", async () => {
    const client = await gateway.client("narrow", era);
    expect(client.getServerCapabilities()).not.toHaveProperty("resources");
    await expect(client.request({ method: "resources/list" })).rejects.toThrow(/Method not found/);
  });

  it("reads nothing that is not recorded", async () => {
    const client = await gateway.client("worker", era);
    const [first] = (await client.listResources()).resources;
    await client.readResource({ uri: first?.uri ?? "" });
    const agentId = gateway.hub.identity.agent("worker").id;
    await waitUntil("the read is recorded", async () => {
      const calls = await callTables(gateway.hub.store).calls.list({ limit: 50, agentId });
      return calls.some((call) => call.requested === first?.uri && call.outcome === "ok");
    });
  });
});

describe("a session", () => {
  it("hears of a resource that it subscribed to, and no more once it has unsubscribed", async () => {
    const client = await gateway.client("worker", "legacy", { path: "/server/everything" });
    const updates: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updates.push(params.uri);
    });
    const uri = "demo://resource/dynamic/text/1";
    await client.subscribeResource({ uri });
    await client.callTool({ name: "toggle-subscriber-updates", arguments: {} });
    await waitUntil("the resource changes", () => updates.includes(uri));
    await client.unsubscribeResource({ uri });
    await client.callTool({ name: "toggle-subscriber-updates", arguments: {} });
  }, 30_000);

  it("cannot ask for log messages of a level that there is not", async () => {
    const client = await gateway.client("worker", "legacy", { path: "/server/everything" });
    await expect(
      client.request({ method: "logging/setLevel", params: { level: "loud" as never } }),
    ).rejects.toThrow(/level must be one of/);
    await client.setLoggingLevel("debug");
  });
});
