import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { followLists } from "../../../src/servers/lists/list-changes.ts";
import { type Era, listClient } from "../../support/list-client.ts";
import { waitUntil } from "../../support/wait-until.ts";

describe.each<Era>(["legacy", "modern"])("a %s server", (era) => {
  test("that announces a change of a list is heard, whichever list it is", async () => {
    await using server = await listClient(era, "announces changes");
    await using followed = await follow(server.client);
    for (const [list, heard] of [
      ["tools", { tools: 1, offers: 0 }],
      ["resources", { tools: 1, offers: 1 }],
      ["prompts", { tools: 1, offers: 2 }],
    ] as const) {
      await server.client.callTool({ name: list });
      await waitUntil(`a change of ${list} is heard`, () => same(followed.heard, heard));
    }
    expect(followed.problems).toEqual([]);
  });
});

test("a subscription that the server ends is opened again, and everything counts as changed", async () => {
  await using server = await listClient("modern", "announces changes");
  await using followed = await follow(server.client);
  await server.client.callTool({ name: "end" });
  await waitUntil("both lists count as changed", () => same(followed.heard, { tools: 1, offers: 1 }));
  await server.client.callTool({ name: "tools" });
  await waitUntil("changes are heard again", () => same(followed.heard, { tools: 2, offers: 1 }));
});

test("a server that refuses to announce changes is asked once, and people are told", async () => {
  await using server = await listClient("modern", "refuses to announce", "busy");
  await using followed = await follow(server.client);
  await followed.done;
  expect(followed.problems).toEqual(["changes of its lists cannot be followed: no: busy"]);
});

test("following ends with the connection", async () => {
  await using server = await listClient("modern", "announces changes");
  const followed = await follow(server.client);
  await followed[Symbol.asyncDispose]();
  await server.client.callTool({ name: "tools" });
  expect(followed.heard).toEqual({ tools: 0, offers: 0 });
});

async function follow(client: Client) {
  const heard = { tools: 0, offers: 0 };
  const problems: string[] = [];
  const stop = new AbortController();
  const done = followLists(
    client,
    { tools: () => heard.tools++, offers: () => heard.offers++ },
    { signal: stop.signal, onProblem: (message) => problems.push(message), onFailure: () => {} },
  );
  // The subscription is asked for first, so an answer to anything later means that it was read.
  await client.callTool({ name: "nothing" });
  return {
    heard,
    problems,
    done,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

function same(a: { tools: number; offers: number }, b: { tools: number; offers: number }): boolean {
  return a.tools === b.tools && a.offers === b.offers;
}
