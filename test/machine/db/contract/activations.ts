import { expect, test } from "vitest";
import { accessTables } from "../../../support/access-tables.ts";
import { activation, agent, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function activationsContract(fresh: FreshStore): void {
  test("activations of a conversation come back longest unused first, each tool once", async () => {
    await using t = await fresh();
    const { agents, activations } = accessTables(t.store);
    await agents.create(agent("ada"));
    await activations.put([activation("b", { usedAt: NOW + 2 }), activation("a", { usedAt: NOW + 1 })]);
    await activations.put([activation("a", { usedAt: NOW + 3, tokenId: "tok_2" })]);
    await activations.put([activation("c", { conversation: "c2" })]);
    expect(await activations.list("agt_ada", "c1")).toEqual([
      activation("b", { usedAt: NOW + 2 }),
      activation("a", { usedAt: NOW + 3 }),
    ]);
    expect(await activations.list("agt_ada", "other")).toEqual([]);
  });

  test("the conversation that used one last is known, by agent and by token", async () => {
    await using t = await fresh();
    const { agents, activations } = accessTables(t.store);
    await agents.create(agent("ada"));
    await activations.put([
      activation("a", { conversation: "c1", tokenId: "tok_1", usedAt: NOW }),
      activation("a", { conversation: "c2", tokenId: "tok_2", usedAt: NOW + 5 }),
    ]);
    const latest = (filter: object) => activations.latest({ agentId: "agt_ada", ...filter });
    expect(await latest({})).toBe("c2");
    expect(await latest({ tokenId: "tok_1" })).toBe("c1");
    expect(await latest({ tokenId: "tok_1", since: NOW + 1 })).toBeUndefined();
    await activations.touch([activation("a", { conversation: "c1", usedAt: NOW + 9 })]);
    expect(await latest({})).toBe("c1");
  });

  test("tools are taken out of a conversation one by one or all together, and go with their agent", async () => {
    await using t = await fresh();
    const { agents, activations } = accessTables(t.store);
    await agents.create(agent("ada"));
    await activations.put(["a", "b", "c"].map((tool) => activation(tool)));
    await activations.put([activation("a", { conversation: "c2" })]);
    await activations.delete("agt_ada", "c1", ["a"]);
    await activations.delete("agt_ada", "c1", []);
    expect((await activations.list("agt_ada", "c1")).map(({ tool }) => tool).sort()).toEqual(["b", "c"]);
    await activations.delete("agt_ada", "c1");
    expect(await activations.list("agt_ada", "c1")).toEqual([]);
    expect(await activations.list("agt_ada", "c2")).toHaveLength(1);
    await agents.delete("agt_ada");
    expect(await activations.list("agt_ada", "c2")).toEqual([]);
  });

  test("those of nobody are refused", async () => {
    await using t = await fresh();
    await expect(accessTables(t.store).activations.put([activation("a")])).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });
}
