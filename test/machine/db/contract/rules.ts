import { expect, test } from "vitest";
import type { RuleRecord } from "../../../../src/call/rules/contract.ts";
import { accessTables } from "../../../support/access-tables.ts";
import { trustStores } from "../../../support/trust-stores.ts";
import { agent, NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function rulesContract(fresh: FreshStore): void {
  test("rules are listed in the order they were made, replaced, and gone with their agent", async () => {
    await using t = await fresh();
    const { rules } = trustStores(t.store);
    await accessTables(t.store).agents.create(agent("ada"));
    const [shared, own] = [storedRule("b", {}), storedRule("a", { agentId: "agt_ada", createdAt: NOW + 1 })];
    await rules.create(own);
    await rules.create(shared);
    expect(await rules.list()).toEqual([shared, own]);
    const changed = storedRule("b", {
      pattern: { path: ["a", "!b"] },
      final: true,
      after: "seen",
      expiresAt: NOW,
      questionId: "qst_1",
    });
    await rules.replace(changed);
    expect(await rules.list()).toEqual([changed, own]);
    await accessTables(t.store).agents.delete("agt_ada");
    expect(await rules.list()).toEqual([changed]);
    await rules.delete(changed.id);
    await expect(rules.delete(changed.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(rules.replace(changed)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a rule is pruned once its time is over, one without an end never", async () => {
    await using t = await fresh();
    await trustStores(t.store).rules.create(storedRule("a", { expiresAt: NOW }));
    await trustStores(t.store).rules.create(storedRule("b", { expiresAt: null }));
    expect(await trustStores(t.store).rules.prune(NOW, 10)).toBe(0);
    expect(await trustStores(t.store).rules.prune(NOW + 1, 10)).toBe(1);
    expect((await trustStores(t.store).rules.list()).map(({ id }) => id)).toEqual(["rul_b"]);
  });
}

export function storedRule(id: string, more: Partial<RuleRecord>): RuleRecord {
  return {
    id: `rul_${id}`,
    agentId: null,
    conversation: null,
    permission: "mcp:github:*",
    pattern: "src/**",
    action: "deny",
    final: false,
    after: null,
    note: "why",
    createdBy: "operator",
    createdAt: NOW,
    expiresAt: null,
    questionId: null,
    ...more,
  };
}
