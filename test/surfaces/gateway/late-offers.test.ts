import { expect, test } from "vitest";
import { remoteServer } from "../../support/remote-server.ts";
import { legacyHttp } from "../../support/servers/legacy-http.ts";
import { type Era, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TOOLS = [{ name: "hello", inputSchema: { type: "object" } }];
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };

/** A server that lists its tools at once and everything else when it is told to. */
async function lateServer() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const later = (result: object) => async () => {
    asked++;
    await released;
    return result;
  };
  const remote = await remoteServer(
    legacyHttp(
      TOOLS,
      {
        "prompts/list": later({ prompts: [{ name: "greet" }] }),
        "resources/list": later({ resources: [{ uri: "note://one", name: "one" }] }),
        "resources/templates/list": later({
          resourceTemplates: [{ uriTemplate: "note://{id}", name: "notes" }],
        }),
        "prompts/get": () => ({ messages: [{ role: "user", content: { type: "text", text: "hi" } }] }),
      },
      CAPABILITIES,
    ),
  );
  return { remote, release, asked: () => asked };
}

test.each<Era>(["legacy", "modern"])(
  "a client that asks between the tools and the rest is told of all (%s)",
  async (era) => {
    const { remote, release, asked } = await lateServer();
    await using _remote = remote;
    await using gateway = await testGateway({
      servers: { late: { url: remote.url } },
      toolboxes: { servers: ["mcp:*"] },
      agents: { scout: ["servers"] },
    });
    await waitUntil("its tools are known, and the rest is asked for", () => asked() === 3);
    const client = await gateway.client("scout", era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("mcp_late_hello");

    const answers = [
      client.listPrompts().then(({ prompts }) => prompts.map(({ name }) => name)),
      client.listResources().then(({ resources }) => resources.map(({ uri }) => uri)),
      client
        .listResourceTemplates()
        .then(({ resourceTemplates }) => resourceTemplates.map(({ name }) => name)),
      client.getPrompt({ name: "late_greet" }).then(({ messages }) => messages.length),
    ];
    // What does not wait has been answered by then.
    await client.listTools();
    release();

    expect(await Promise.all(answers)).toEqual([["late_greet"], ["note://one"], ["notes"], 1]);
  },
);

test("a server whose lists take too long holds nobody up, and what comes later is announced", async () => {
  const { remote, release, asked } = await lateServer();
  await using _remote = remote;
  await using gateway = await testGateway({
    servers: { late: { url: remote.url } },
    toolboxes: { servers: ["mcp:*"] },
    agents: { scout: ["servers"] },
  });
  await waitUntil("its tools are known, and the rest is asked for", () => asked() === 3);
  const client = await gateway.client("scout", "legacy");
  const announced: string[] = [];
  client.setNotificationHandler("notifications/prompts/list_changed", () => void announced.push("prompts"));
  client.setNotificationHandler(
    "notifications/resources/list_changed",
    () => void announced.push("resources"),
  );

  expect((await client.listPrompts()).prompts).toEqual([]);
  release();

  await waitUntil("both are announced", () => new Set(announced).size === 2);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["late_greet"]);
});
