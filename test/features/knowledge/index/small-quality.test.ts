import { describe, expect, test } from "vitest";
import { meanOf, qualityOf } from "../../../../bench/support/retrieval-quality.mjs";
import { embeddedText } from "../../../../src/features/knowledge/indexing/chunk-terms.ts";
import { parseQuery } from "../../../../src/features/knowledge/search/query.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { FakeEmbedder } from "../../../support/fake-embedder.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { entity, type FreshIndex, NOW, postgresIndex, sqliteIndex, type TestIndex } from "./indexes.ts";
import { BY_MEANING, BY_WORDS, DOCUMENTS, SUBJECTS } from "./small-set.ts";

const SOURCES = new Map([["src_1", "notes"]]);
/**
 * nDCG@10, a little below what was measured when the set was made. An embedder that knows seven subjects and no more takes away from what
 * words find: 0.997 becomes 0.915. The floors tell of a ranking that has become worse, not of how good it is.
 */
const FLOORS = { wordsByWords: 0.95, wordsByBoth: 0.9, meaningByBoth: 0.9 };

async function smallIndex(fresh: FreshIndex): Promise<TestIndex> {
  const t = await fresh();
  await t.writer.write(
    DOCUMENTS.map(({ key, title, text }) => entity(key, [text], { title })),
    NOW,
  );
  return t;
}

/** What an index finds for queries, by words or by both; means over them. */
async function measured(t: TestIndex, queries: typeof BY_WORDS, embedder?: FakeEmbedder) {
  const searcher = new Searcher(t.index.reader);
  const qualities = [];
  for (const [text, grades] of queries) {
    const [vector] = (await embedder?.embed([text])) ?? [];
    const { results, mode } = await searcher.find({
      ...{ query: parseQuery(text), sources: SOURCES, limit: 100 },
      ...(embedder &&
        vector && { meaning: { model: embedder.model, vector, floor: embedder.likenessFloor } }),
    });
    expect(mode).toBe(embedder ? "hybrid" : "lexical");
    const keys = results.map(({ uri }) => uri.replace("/docs/", ""));
    qualities.push(qualityOf(keys, new Map(Object.entries(grades))));
  }
  return meanOf(qualities);
}

async function embedAll(t: TestIndex, embedder: FakeEmbedder): Promise<void> {
  const chunks = await t.index.writer.withoutVector(embedder.model, 0, 100);
  const vectors = await embedder.embed(
    chunks.map(({ title, headings, text }) => embeddedText(title, headings, text)),
  );
  await t.index.writer.putVectors(
    embedder.model,
    chunks.map(({ no }, at) => ({ no, vector: new Uint8Array(vectors![at]!.buffer) })),
  );
}

function smallQuality(fresh: FreshIndex): void {
  test("words find what was judged to answer, nearly always first", async () => {
    await using t = await smallIndex(fresh);
    const { ndcg, recall } = await measured(t, BY_WORDS);
    expect(ndcg).toBeGreaterThan(FLOORS.wordsByWords);
    expect(recall).toBeGreaterThan(0.95);
  });

  test("meaning finds what words miss, and what words find stays near the top", async () => {
    await using t = await smallIndex(fresh);
    const words = await measured(t, BY_MEANING);
    const embedder = new FakeEmbedder(SUBJECTS);
    await embedAll(t, embedder);
    const both = await measured(t, BY_MEANING, embedder);
    expect(words.ndcg).toBeLessThan(0.5);
    expect(both.ndcg).toBeGreaterThan(FLOORS.meaningByBoth);
    expect(both.recall).toBe(1);
    expect((await measured(t, BY_WORDS, embedder)).ndcg).toBeGreaterThan(FLOORS.wordsByBoth);
  });

  test("what is judged is there", () => {
    const keys = new Set(DOCUMENTS.map(({ key }) => key));
    expect(keys.size).toBe(36);
    for (const [query, grades] of [...BY_WORDS, ...BY_MEANING])
      for (const key of Object.keys(grades)) expect(keys.has(key), `${query}: ${key}`).toBe(true);
  });
}

describe("quality of a small set on SQLite", () => smallQuality(sqliteIndex));
describe.runIf(hasPostgres())("quality of a small set on PostgreSQL", () => smallQuality(postgresIndex));
