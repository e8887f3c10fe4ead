import { expect, test } from "vitest";
import { memoryStore } from "../../../src/features/knowledge/memory/memory-store.ts";
import { embeddingStore } from "../../../src/machine/text/meaning/embeddings.ts";
import { memory } from "../../machine/db/contract/memories.ts";
import { testHub } from "../../support/test-hub.ts";

const DAY = 24 * 3_600_000;

test("a daemon cleans expired memories, old versions and unused embeddings, and nothing else", async () => {
  await using t = await testHub();
  const { store, features, settings } = t.hub;
  const { memoryHistoryMs } = settings.retention;
  const memories = memoryStore(store.database);
  const embeddings = embeddingStore(store.database);
  const now = Date.now();
  await memories.create(memory("expired", { expiresAt: now - 1 }), 10);
  await memories.create(memory("valid", { expiresAt: now + DAY }), 10);
  await memories.update("valid", { text: "two" }, { at: now - memoryHistoryMs! - DAY, by: null });
  await memories.update("valid", { text: "three" }, { at: now, by: null });
  const vector = { model: "m", vector: Uint8Array.of(1) };
  await embeddings.put([
    { ...vector, id: "old", usedAt: now - 61 * DAY },
    { ...vector, id: "used", usedAt: now - 59 * DAY },
  ]);
  const removed: Record<string, number> = {};
  for (const { what, remove } of features.flatMap(({ cleaning = [] }) => cleaning))
    if (["memories", "memoryVersions", "embeddings"].includes(what))
      removed[what] = (removed[what] ?? 0) + (await remove(100));
  expect(removed).toEqual({ embeddings: 1, memories: 1, memoryVersions: 1 });
  expect(await memories.get("expired")).toBeUndefined();
  expect((await memories.history("valid", now)).map(({ text }) => text)).toEqual(["two"]);
  expect((await embeddings.among(["old", "used"])).map(({ id }) => id)).toEqual(["used"]);
});
