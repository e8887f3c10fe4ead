import { expect, test } from "vitest";
import type { EmbeddingRecord } from "../../../../src/machine/text/meaning/embeddings.ts";
import { embeddingStore } from "../../../../src/machine/text/meaning/embeddings.ts";
import { NOW } from "../records.ts";
import type { FreshStore } from "../stores.ts";

const embedding = (id: string, more: Partial<EmbeddingRecord> = {}): EmbeddingRecord => ({
  id,
  model: "small",
  vector: Uint8Array.of(0, 127, 128, 255),
  usedAt: NOW,
  ...more,
});
const idsOf = (records: readonly EmbeddingRecord[]) => records.map(({ id }) => id).sort();

export function embeddingsContract(fresh: FreshStore): void {
  test("embeddings come back as they were, those that are there", async () => {
    await using t = await fresh();
    const embeddings = embeddingStore(t.store.database);
    await embeddings.put([embedding("a"), embedding("b", { vector: new Uint8Array(0) })]);
    expect(await embeddings.among(["a", "none"])).toEqual([embedding("a")]);
    expect(await embeddings.among(["b"])).toEqual([embedding("b", { vector: new Uint8Array(0) })]);
    expect(await embeddings.among([])).toEqual([]);
  });

  test("the first of equal embeddings stays, whoever else makes it", async () => {
    await using t = await fresh();
    const another = await t.another();
    await embeddingStore(t.store.database).put([embedding("a")]);
    await embeddingStore(another.database).put([embedding("a", { usedAt: NOW + 1 }), embedding("b")]);
    expect(await embeddingStore(t.store.database).among(["a"])).toEqual([embedding("a")]);
    expect(await embeddingStore(t.store.database).among(["b"])).toEqual([embedding("b")]);
  });

  test("embeddings that nobody used for long go, and beyond a number those used longest ago", async () => {
    await using t = await fresh();
    const embeddings = embeddingStore(t.store.database);
    const ids = ["a", "b", "c", "d", "e"];
    await embeddings.put(ids.map((id, at) => embedding(id, { usedAt: NOW + at })));
    await embeddings.touch(["a", "none"], NOW + 10);
    expect(await embeddingStore(t.store.database).prune(NOW + 2, 10)).toBe(1);
    expect(idsOf(await embeddings.among(ids))).toEqual(["a", "c", "d", "e"]);
    expect(await embeddings.trim(2, 1)).toBe(1);
    expect(await embeddings.trim(2, 10)).toBe(1);
    expect(await embeddings.trim(2, 10)).toBe(0);
    expect(idsOf(await embeddings.among(ids))).toEqual(["a", "e"]);
  });

  test("as many embeddings as there are tools can be written and looked up at once", async () => {
    await using t = await fresh();
    const many = Array.from({ length: 1_201 }, (_, at) => embedding(`e${at}`));
    await embeddingStore(t.store.database).put(many);
    expect(await embeddingStore(t.store.database).among(many.map(({ id }) => id))).toHaveLength(1_201);
  });
}
