import { expect, it } from "vitest";
import { testApi } from "../../../../support/test-api.ts";
import { typed } from "../../../../support/typed.ts";

it("toolkeep memory lists, searches and forgets what agents remember", async () => {
  await using api = await testApi({ agents: { ada: ["research"], bob: [] } });
  expect((await typed(api, ["memory", "list"])).out).toContain("--toolbox research");
  await api.call("memorize", { text: "The door is green.\nAlways.", tags: ["house"] }, "ada");
  expect((await typed(api, ["memory", "list"])).out).toMatch(
    /mem_\w+ +ada +\d+s ago +never +house +The door is green\. Always\.\n$/,
  );
  expect((await typed(api, ["memory", "list", "--agent", "bob"])).out).toContain("No memories yet.");
  const found = JSON.parse((await typed(api, ["memory", "search", "green", "doors", "--json"])).out);
  expect(found.memories).toMatchObject([{ agent: "ada" }]);
  expect((await typed(api, ["memory", "search", "zebra", "--agent", "ada"])).out).toContain(
    "Try other words",
  );
  const [{ id }] = found.memories;
  expect((await typed(api, ["memory", "forget", id, "--yes"])).out).toBe(`Deleted ${id}.\n`);
  expect(await typed(api, ["memory", "forget", id, "--yes"])).toMatchObject({
    code: 3,
    err: expect.stringContaining("no agent has a memory"),
  });
});
