import { expect, test } from "vitest";
import { ADD, ANNOUNCE, publishedServer } from "../../support/published-server.ts";
import { testUpstream } from "../../support/upstream.ts";
import { waitUntil } from "../../support/wait-until.ts";

const TOOLS = [ADD, ANNOUNCE];

test("what is pinned of a new server is written in two steps, since each waits for the disk, and then not again", async () => {
  await using server = await publishedServer();
  await using t = await testUpstream();
  const writes: number[] = [];
  const { change } = t.store.pins;
  t.store.pins.change = (id, put, gone) => {
    writes.push(put.length);
    return change(id, put, gone);
  };
  await server.publish(TOOLS, { prompts: [{ name: "review" }] });
  await t.upstream.add("calc", { ...server.input, pin: true });
  await t.upstream.settled();
  await t.upstream.test("calc");
  await t.upstream.settled();
  // The tools and instructions with a mark of each list, then the prompt and the marks of prompts and templates.
  expect(writes).toEqual([TOOLS.length + 2, 3]);
});

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
