import { join } from "node:path";
import { expect, test } from "vitest";
import { ERAS, type Era, testGateway } from "../../support/test-gateway.ts";
import { waitUntil } from "../../support/wait-until.ts";

const URI = "ui://chart/view";

test.each(Object.keys(ERAS) as Era[])(
  "a %s client gets the user interface of a tool untouched",
  async (era) => {
    await using gateway = await open({ drawing: ["mcp_b_draw"] });
    const client = await gateway.client("artist", era);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "mcp_b_draw")?._meta).toEqual({ ui: { resourceUri: URI } });
    const { resources } = await client.listResources();
    expect(resources).toEqual([
      {
        uri: URI,
        name: "chart",
        mimeType: "text/html;profile=mcp-app",
        _meta: { ui: { csp: { connectDomains: ["https://example.com"] } } },
      },
    ]);
    expect((await client.readResource({ uri: URI })).contents).toEqual([
      {
        uri: URI,
        mimeType: "text/html;profile=mcp-app",
        text: "<p>b</p>",
        _meta: { ui: { csp: { connectDomains: ["https://example.com"] } } },
      },
    ]);
  },
);

test("of two servers with one URI, each tool shows its own server's interface", async () => {
  await using gateway = await open({ drawing: ["mcp:a:*", "mcp:b:*"] });
  const client = await gateway.client("artist", "modern");
  const { tools } = await client.listTools();
  const shown = ["mcp_a_draw", "mcp_b_draw"].map((tool) => {
    const meta = tools.find(({ name }) => name === tool)?._meta as { ui: { resourceUri: string } };
    return meta.ui.resourceUri;
  });
  expect(shown).toEqual([URI, `toolkeep://b/${URI}`]);
  const pages = await Promise.all(shown.map((uri) => client.readResource({ uri })));
  expect(pages.map(({ contents }) => (contents[0] as { text: string }).text)).toEqual([
    "<p>a</p>",
    "<p>b</p>",
  ]);

  const { tools: own } = await (await gateway.client("artist", "modern", { path: "/server/b" })).listTools();
  expect(own.find(({ name }) => name === "draw")?._meta).toEqual({ ui: { resourceUri: URI } });
});

async function open(toolboxes: Record<string, string[]>) {
  const script = join(import.meta.dirname, "../../support/servers/lists.mjs");
  const server = (says: string) => ({
    command: process.execPath,
    args: [script, "legacy", "shows an app", says],
  });
  const gateway = await testGateway({
    servers: { a: server("a"), b: server("b") },
    toolboxes,
    agents: { artist: Object.keys(toolboxes) },
  });
  await waitUntil("their offers are known", () =>
    gateway.hub.upstream.origins().every(({ offers }) => offers.length > 0),
  );
  return gateway;
}
