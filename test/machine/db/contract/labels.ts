import { expect, test } from "vitest";
import { trustStores } from "../../../support/trust-stores.ts";
import { NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

export function labelsContract(fresh: FreshStore): void {
  test("labels of a conversation are replaced, listed by time and pruned", async () => {
    await using t = await fresh();
    const { labels } = trustStores(t.store);
    const first = { agentId: "agt_ada", conversation: "c1", labels: ["a"], labelledAt: NOW };
    const second = { agentId: "agt_ada", conversation: "c2", labels: ["b"], labelledAt: NOW + 1 };
    await labels.put(second);
    await labels.put(first);
    expect(await labels.list(0, 10)).toEqual([first, second]);
    expect(await labels.list(NOW + 1, 10)).toEqual([second]);
    expect(await labels.list(0, 1)).toEqual([second]);
    const more = { ...first, labels: ["a", "b"], labelledAt: NOW + 2 };
    await labels.put(more);
    expect(await labels.list(0, 10)).toEqual([second, more]);
    expect(await trustStores(t.store).labels.prune(NOW + 2, 10)).toBe(1);
    expect(await labels.list(0, 10)).toEqual([more]);
  });

  test("labels of content come back by the ids asked for, however many, and are replaced", async () => {
    await using t = await fresh();
    const { contentLabels } = trustStores(t.store);
    const ids = Array.from({ length: 1_200 }, (_, at) => `mem_${at}`);
    expect(await contentLabels.get(ids)).toEqual([]);
    await contentLabels.put([
      { id: "mem_1", labels: ["a"], labelledAt: 1 },
      { id: "mem_1100", labels: ["b"], labelledAt: 2 },
    ]);
    await contentLabels.put([{ id: "mem_1", labels: ["a", "c"], labelledAt: 3 }]);
    expect(await contentLabels.get(ids)).toEqual([
      { id: "mem_1", labels: ["a", "c"], labelledAt: 3 },
      { id: "mem_1100", labels: ["b"], labelledAt: 2 },
    ]);
    expect(await trustStores(t.store).contentLabels.prune(3, 10)).toBe(1);
    expect(await contentLabels.get(["mem_1100"])).toEqual([]);
  });
}
