import { expect, test } from "vitest";
import { ADD, ANNOUNCE, publishedServer } from "../../support/published-server.ts";
import { testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TOOLS = [ADD, ANNOUNCE];

test("prompts that could not be listed at first wait for a person when they come", async () => {
  await using server = await publishedServer();
  await using t = await testUpstream();
  await server.publish(TOOLS, { prompts: "fail" });
  await t.upstream.add("calc", { ...server.input, pin: true });
  await t.upstream.settled();
  await waitUntil("the failure is known", () => t.warnings.some((warning) => warning.includes("busy")));
  await server.publish(TOOLS, { prompts: [{ name: "later" }] });
  await t.upstream.test("calc");
  await waitUntil("they wait", () => t.upstream.server("calc").waiting === 1);
  expect(t.upstream.offers("calc")).toEqual([]);
});

test("prompts that were never asked for on the first connection wait for a person too", async () => {
  await using server = await publishedServer();
  await using t = await testUpstream();
  await t.upstream.add("calc", { ...server.input, pin: true });
  await t.upstream.settled();
  // As it is when the first connection ends before its prompts are there.
  const { id } = t.upstream.server("calc");
  const prompts = (await t.store.pins.of(id)).filter(({ kind }) => kind === "prompt");
  await t.store.pins.change(id, [], prompts);
  await server.publish(TOOLS, { prompts: [{ name: "later" }] });
  await t.restart();
  await t.upstream.test("calc");
  await waitUntil("they wait", () => t.upstream.server("calc").waiting === 1);
  expect(t.upstream.offers("calc")).toEqual([]);
});
