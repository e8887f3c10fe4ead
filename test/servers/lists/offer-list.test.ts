import { describe, expect, test } from "vitest";
import { listOffers, type OfferList } from "../../../src/servers/lists/offer-list.ts";
import { listTools } from "../../../src/servers/lists/tool-list.ts";
import { sampleOf } from "../../support/length.ts";
import { type Era, listClient } from "../../support/list-client.ts";

const asIs = (text: string) => text;
const { signal } = new AbortController();

const keys = ({ offers }: OfferList) =>
  offers.map(
    ({ kind, definition }) => `${kind} ${definition.uri ?? definition.uriTemplate ?? definition.name}`,
  );

describe.each<Era>(sampleOf(["legacy", "modern"], 1))("a %s server", (era) => {
  test("tells its resources, templates and prompts as they are", async () => {
    await using server = await listClient(era, "offers everything");
    const list = await listOffers(server.client, { signal }, asIs);
    expect(list).toEqual({
      offers: [
        { kind: "resource", definition: { uri: "file:///a.txt", name: "a.txt" } },
        { kind: "resource", definition: { uri: "file:///b.txt", name: "b.txt" } },
        { kind: "resource_template", definition: { uriTemplate: "file:///{path}", name: "files" } },
        {
          kind: "prompt",
          definition: {
            name: "review",
            description: "The prompt review.",
            arguments: [{ name: "path", required: true }],
          },
        },
      ],
      failedKinds: [],
      warnings: [],
    });
  });

  test("has all pages of every kind fetched", async () => {
    await using server = await listClient(era, "offers in pages");
    expect(keys(await listOffers(server.client, { signal }, asIs))).toEqual([
      "resource file:///page 0",
      "resource file:///page 1",
      "resource file:///page 2",
      "resource_template x:0/{y}",
      "resource_template x:1/{y}",
      "resource_template x:2/{y}",
      "prompt page 0",
      "prompt page 1",
      "prompt page 2",
    ]);
  });

  test("loses only the entries that are out of bounds, each with a warning", async () => {
    await using server = await listClient(era, "offers badly");
    const list = await listOffers(server.client, { signal }, asIs);
    expect(keys(list)).toEqual(["resource file:///good", "resource_template file:///{path}", "prompt good"]);
    expect(list.warnings).toEqual([
      "a resource without a uri was left out",
      "a resource without a uri was left out",
      'the resource "file:///good" is listed twice; the second was left out',
      expect.stringContaining('the prompt "nul\\u0000" was left out'),
      expect.stringContaining('the definition of the prompt "huge" has 1000'),
      expect.stringContaining('"deep" is nested more than 100 levels deep'),
      "a prompt without a name was left out",
    ]);
  });

  test("that fails to list one kind still has the others, and a warning", async () => {
    await using server = await listClient(era, "fails to list prompts", "canary-secret");
    const list = await listOffers(server.client, { signal }, (text) =>
      text.replaceAll("canary-secret", "***"),
    );
    expect(list.offers).toHaveLength(3);
    expect(list.failedKinds).toEqual(["prompt"]);
    expect(list.warnings).toEqual(["its prompts could not be listed: no: ***"]);
  });

  test("that hangs on one kind costs no more than the time until it is given up", async () => {
    await using server = await listClient(era, "hangs on listing prompts");
    const givingUp = new AbortController();
    const listing = listOffers(server.client, { signal: givingUp.signal }, asIs);
    // A server answers in turn: what was asked after them comes after the lists that it has.
    await listOffers(server.client, { signal, kinds: ["resource", "resource_template"] }, asIs);
    givingUp.abort();
    const list = await listing;
    expect(list.offers).toHaveLength(3);
    expect(list.failedKinds).toEqual(["prompt"]);
  });

  test("with resources and no method for templates has no templates", async () => {
    await using server = await listClient(era, "knows no templates");
    const list = await listOffers(server.client, { signal }, asIs);
    expect(list.offers.map(({ kind }) => kind)).toEqual(["resource", "resource", "prompt"]);
    expect([list.failedKinds, list.warnings]).toEqual([[], []]);
  });

  test("tells no secret in what it offers", async () => {
    await using server = await listClient(era, "tells a secret", "canary-secret");
    const list = await listOffers(server.client, { signal }, (text) =>
      text.replaceAll("canary-secret", "***"),
    );
    expect(JSON.stringify(list)).not.toContain("canary-secret");
    expect(keys(list)).toEqual(["resource file:///fine", "resource_template file:///{path}", "prompt told"]);
    expect(list.offers.at(-1)?.definition).toMatchObject({
      description: "it is ***",
      arguments: [{ name: "***" }],
    });
    expect(list.warnings).toEqual(["a resource whose uri holds a secret was left out"]);
  });

  test("whose one tool is broken still has its others", async () => {
    await using server = await listClient(era, "lists tools badly");
    const { tools, warnings } = await listTools(server.client, { signal }, asIs);
    expect(tools.map(({ name }) => name)).toEqual(["good", "odd"]);
    expect(warnings).toEqual(["a tool without a name was left out"]);
  });

  test("whose answer holds no list at all is refused", async () => {
    await using server = await listClient(era, "lists no tools");
    await expect(listTools(server.client, { signal }, asIs)).rejects.toThrow("Invalid result for tools/list");
  });
});

test.each([
  ["[60000]", 60_000],
  ["[90000,60000,70000]", 60_000],
  ["[1]", 5000],
  ["[1e15]", 24 * 3600 * 1000],
  ["[0]", undefined],
  ['["soon",-1,null]', undefined],
])("a list said to hold for %s ms is asked for again after %s ms", async (ttls, expected) => {
  await using server = await listClient("modern", "lists for a while", ttls);
  const list = await listTools(server.client, { signal }, asIs);
  expect(list.ttlMs).toBe(expected);
});
