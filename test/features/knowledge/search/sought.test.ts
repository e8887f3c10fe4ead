import { expect, test } from "vitest";
import { documentAnalyser } from "../../../../src/features/knowledge/indexing/document-analyser.ts";
import { parseQuery } from "../../../../src/features/knowledge/search/query.ts";
import { readSought } from "../../../../src/features/knowledge/search/sought.ts";
import { entity, NOW, sqliteIndex } from "../index/indexes.ts";

test("the commonest words are left out before anything of them is read, and a phrase does without them", async () => {
  await using t = await sqliteIndex();
  const chunks = Array.from({ length: 60 }, (_, at) => `common ${at === 7 ? "rare" : "aardvark"} x${at}`);
  await t.writer.write([entity("a", chunks)], NOW);
  const read: string[] = [];
  const reader = {
    ...t.index.reader,
    postings: (terms: readonly string[]) => {
      read.push(...terms);
      return t.index.reader.postings(terms);
    },
  };
  const analyser = documentAnalyser();
  const ask = (query: string, maxBytes: number) =>
    readSought(parseQuery(query), reader, analyser, { chunkEnd: 61, maxBytes });

  const terms = await ask('rare "common rare" -aa* -"common rare"', 100);
  // The beginning itself stands nowhere.
  expect(read).toEqual(["rare", "aa"]);
  expect(terms.phrases).toEqual([analyser.termsOf("rare")]);
  expect(terms.notPhrases).toEqual([analyser.termsOf("rare")]);
  expect(terms.not.flat()).not.toContain(analyser.termsOf("aardvark")[0]);
  expect(terms.notes).toEqual(["The commonest words were left out: there is too much that has them."]);

  const all = await ask('rare "common rare" -aa*', 10_000);
  expect(all.phrases.flat()).toHaveLength(2);
  expect(all.notes).toEqual([]);
});

test("what could not be too much is read without asking how much it is", async () => {
  await using t = await sqliteIndex();
  await t.writer.write([entity("a", ["word"])], NOW);
  const reader = { ...t.index.reader, postingsSizes: () => Promise.reject(new Error("not asked")) };
  const found = await readSought(parseQuery("word -aa* other"), reader, documentAnalyser(), { chunkEnd: 2 });
  expect([...found.rows.keys()]).toEqual(["word"]);
});
