import { expect, test } from "vitest";
import { accessTables } from "../../../support/access-tables.ts";
import { callTables } from "../../../support/call-tables.ts";
import { agent, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function toolUsesContract(fresh: FreshStore): void {
  test("a use counts once more for each of its words, the newest come first", async () => {
    await using t = await fresh();
    const { toolUses } = callTables(t.store);
    await accessTables(t.store).agents.create(agent("ada"));
    await accessTables(t.store).agents.create(agent("bob"));
    await toolUses.add("agt_ada", ["send", "mail"], "post", NOW, 10);
    await toolUses.add("agt_ada", ["mail"], "post", NOW + 1, 10);
    await toolUses.add("agt_bob", ["mail"], "post", NOW, 10);
    await toolUses.add("agt_bob", [], "post", NOW, 10);
    expect(await toolUses.list("agt_ada", 10)).toEqual([
      { agentId: "agt_ada", term: "mail", tool: "post", count: 2, usedAt: NOW + 1 },
      { agentId: "agt_ada", term: "send", tool: "post", count: 1, usedAt: NOW },
    ]);
    expect(await toolUses.list("agt_ada", 1)).toHaveLength(1);
    expect(await toolUses.list("agt_bob", 10)).toHaveLength(1);
  });

  test("of an agent's uses no more than so many stay; what is old goes, and what was an agent's goes with it", async () => {
    await using t = await fresh();
    const { toolUses } = callTables(t.store);
    for (const name of ["ada", "bob"]) await accessTables(t.store).agents.create(agent(name));
    await toolUses.add("agt_bob", ["mail"], "post", NOW - 1, 2);
    for (const [at, term] of ["a", "b", "c", "d"].entries())
      await toolUses.add("agt_ada", [term], "post", NOW + at, 2);
    expect((await toolUses.list("agt_ada", 10)).map(({ term }) => term)).toEqual(["d", "c"]);
    expect(await t.store.prune("toolUses", NOW + 3, 10)).toBe(2);
    expect((await toolUses.list("agt_ada", 10)).map(({ term }) => term)).toEqual(["d"]);
    await accessTables(t.store).agents.delete("agt_ada");
    expect(await toolUses.list("agt_ada", 10)).toEqual([]);
  });
}
