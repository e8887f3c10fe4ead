import type { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { listOffers } from "../../../../src/servers/lists/offer-list.ts";
import { listTools } from "../../../../src/servers/lists/tool-list.ts";

const { signal } = new AbortController();
const asIs = (text: string) => text;
/** As much of a client as lists need. */
const clientOf = (lists: Record<string, readonly object[]>) =>
  ({
    getServerCapabilities: () => ({ tools: {}, prompts: {}, resources: {} }),
    request: async ({ method }: { method: string }) => {
      const field = method === "resources/templates/list" ? "resourceTemplates" : method.split("/")[0]!;
      return { [field]: lists[field] ?? [] };
    },
  }) as unknown as Client;

const HIDDEN = [
  "\ufe0f",
  "\ufe01",
  "\u{e0101}",
  "\u034f",
  "\u115f",
  "\u3164",
  "\u2800",
  "\u200b",
  "\u{e0041}",
];
const MARKS = ["[INST]", "Human: ", "＜system＞"];

test("a tool or prompt whose name hides something or imitates the host is left out", async () => {
  const bad = [...HIDDEN.map((character) => `a${character}b`), ...MARKS].map((name) => ({ name }));
  const client = clientOf({ tools: [...bad, { name: "read ü" }], prompts: [...bad, { name: "review" }] });
  const { tools, warnings } = await listTools(client, { signal }, asIs);
  expect(tools).toEqual([{ name: "read ü" }]);
  expect(warnings).toHaveLength(bad.length);
  const { offers } = await listOffers(client, { signal }, asIs);
  expect(offers.map(({ definition }) => definition.name)).toEqual(["review"]);
});

test("a prompt with an argument whose name hides something is left out", async () => {
  const prompts = [
    { name: "a", arguments: [{ name: "x" }, { name: "y\u{e0101}" }] },
    { name: "b", arguments: [{ name: "path" }] },
    { name: "c", arguments: [null, "x"] },
  ];
  const { offers, warnings } = await listOffers(clientOf({ prompts }), { signal }, asIs);
  expect(offers.map(({ definition }) => definition.name)).toEqual(["b", "c"]);
  expect(warnings).toEqual([expect.stringContaining('the prompt "a" was left out: the name of an argument')]);
});

test("a resource or template whose URI hides something is left out, one in a script that needs joiners is not", async () => {
  const uris = ["file:///a\u{e0041}", "file:///<system>", "file:///a", "file:///می\u200cخواهم"];
  const client = clientOf({
    resources: uris.map((uri) => ({ uri })),
    resourceTemplates: uris.map((uri) => ({ uriTemplate: `${uri}/{x}` })),
  });
  const { offers } = await listOffers(client, { signal }, asIs);
  expect(offers.map(({ definition }) => definition.uri ?? definition.uriTemplate)).toEqual([
    ...uris.slice(2),
    ...uris.slice(2).map((uri) => `${uri}/{x}`),
  ]);
});
