import { expect, test } from "vitest";
import type { SourceRecord } from "../../../src/features/knowledge/contract.ts";
import type { KnowledgeDeps } from "../../../src/features/knowledge/knowledge-index.ts";
import { KnowledgeIndex } from "../../../src/features/knowledge/knowledge-index.ts";
import { silentLog } from "../../../src/lib/log.ts";
import type { Embedder } from "../../../src/machine/text/meaning/embedder.ts";
import { tempHome } from "../../support/temp-home.ts";
import { entity, NOW } from "./index/indexes.ts";

const SOURCE: SourceRecord = {
  ...{ id: "src_1", name: "notes", kind: "folder", config: {}, label: null, enabled: true },
  ...{ lastSync: null, createdAt: NOW, updatedAt: NOW },
};
const ACCESS = { labels: null };

/** Animals point one way, vehicles another; everything else nowhere in particular. */
function meaningEmbedder(): Embedder {
  const of = (text: string) => {
    const vector = new Int8Array(64).fill(1);
    if (/dog|cat|animal|pet/i.test(text)) vector.fill(100, 0, 32).fill(-100, 32);
    if (/car|truck|vehicle/i.test(text)) vector.fill(-100, 0, 32).fill(100, 32);
    return vector;
  };
  return {
    ...{ model: "meaning", dimensions: 64, state: { kind: "resting" } },
    embed: async (texts) => texts.map(of),
    close: async () => {},
  };
}

async function testKnowledge(change: Partial<KnowledgeDeps> = {}) {
  const home = await tempHome();
  const knowledge = new KnowledgeIndex({
    ...{ home: home.path, databaseUrl: null, sources: async () => [SOURCE], log: silentLog },
    ...{ embedder: meaningEmbedder(), isMeaningOn: () => true, lead: (_job, work, signal) => work(signal) },
    ...change,
  });
  return {
    knowledge,
    async [Symbol.asyncDispose]() {
      await knowledge.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("meaning finds what words miss, as soon as there are vectors", async () => {
  let isOn = false;
  await using t = await testKnowledge({ isMeaningOn: () => isOn });
  const { reader, writer, embedding, counts } = t.knowledge;
  await writer.write(
    [entity("a", ["The dog sleeps."]), entity("b", ["The truck is red."]), entity("c", ["Numbers"])],
    NOW,
  );
  const ask = { query: "animals", limit: 5, access: ACCESS };
  expect(await reader.search(ask)).toMatchObject({ results: [], mode: "lexical" });
  expect((await counts()).get("src_1")).toEqual({ entities: 3, chunks: 3, embedded: 0 });

  isOn = true;
  embedding.wake();
  await embedding.rest();
  expect((await counts()).get("src_1")).toEqual({ entities: 3, chunks: 3, embedded: 3 });
  const page = await reader.search(ask);
  expect(page).toMatchObject({ mode: "hybrid", results: [{ title: "a" }] });
  expect(page.results).toHaveLength(1);
});

test("what is written later gets its vector, too", async () => {
  await using t = await testKnowledge();
  const { reader, writer, embedding } = t.knowledge;
  await writer.write([entity("a", ["The dog sleeps."])], NOW);
  await embedding.rest();
  await writer.write([entity("b", ["My cat as well."]), entity("c", ["A truck"])], NOW);
  await embedding.rest();
  const { results } = await reader.search({ query: "pet", limit: 2, access: ACCESS });
  expect(results.map((found) => found.kind === "entity" && found.title).sort()).toEqual(["a", "b"]);
});

test("how fast passages get their vectors is known while they do", async () => {
  let now = 0;
  const rates: (number | undefined)[] = [];
  const embedder = meaningEmbedder();
  await using t = await testKnowledge({
    clock: () => now,
    embedder: {
      ...embedder,
      async embed(texts) {
        rates.push(t.knowledge.embedding.rate);
        now += 2_000;
        return embedder.embed(texts);
      },
    },
  });
  const { writer, embedding } = t.knowledge;
  expect(embedding.rate).toBeUndefined();
  await writer.write(
    [
      entity(
        "a",
        Array.from({ length: 150 }, (_, at) => `The dog ${at} sleeps.`),
      ),
    ],
    NOW,
  );
  await embedding.rest();
  expect(rates).toEqual([0, 32, 32]);
  expect(embedding.rate).toBeUndefined();
});

test("an embedder that fails for a while is asked again, and nothing is lost", async () => {
  let failures = 2;
  const embedder = meaningEmbedder();
  const { embed } = embedder;
  await using t = await testKnowledge({
    embedder: { ...embedder, embed: async (texts) => (failures-- > 0 ? undefined : embed(texts)) },
    retryMs: 1,
  });
  await t.knowledge.writer.write([entity("a", ["The dog sleeps."])], NOW);
  await t.knowledge.embedding.rest();
  expect((await t.knowledge.counts()).get("src_1")?.embedded).toBe(1);
});

test("an embedder that is left alone for now is asked again when it is there, without a new document", async () => {
  const embedder = meaningEmbedder();
  let state: Embedder["state"] = { kind: "unavailable", reason: "too many requests", isForNow: true };
  let asked = 0;
  await using t = await testKnowledge({
    embedder: {
      ...embedder,
      get state() {
        if (asked++ > 20) state = { kind: "resting" };
        return state;
      },
      embed: async (texts) => (state.kind === "resting" ? embedder.embed(texts) : undefined),
    },
    retryMs: 1,
  });
  await t.knowledge.writer.write([entity("a", ["The dog sleeps."])], NOW);
  await t.knowledge.embedding.rest();
  expect((await t.knowledge.counts()).get("src_1")?.embedded).toBe(1);
});
