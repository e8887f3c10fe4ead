import { expect, test } from "vitest";
import type { FoundMemory, SearchResult } from "../../../../src/features/knowledge/contract.ts";
import type { Access } from "../../../../src/features/knowledge/knowledge.ts";
import { knowledgeReader } from "../../../../src/features/knowledge/search/knowledge-reader.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { entity, NOW, sqliteIndex, type TestIndex } from "../index/indexes.ts";

const EVERYTHING: Access = { labels: null };

const memory = (at: number, score: number): FoundMemory => ({
  ...{ kind: "memory", id: `mem_${at}`, key: null, snippet: "common", marks: [], tags: [] },
  ...{ updatedAt: NOW, score },
});

/** Over documents of an index, and memories that may change between two pages. */
function readerWith(t: TestIndex, memories: () => readonly FoundMemory[]) {
  const asked: unknown[] = [];
  const reader = knowledgeReader({
    searcher: new Searcher(t.index.reader),
    sources: async () => [
      {
        ...{ id: "src_1", name: "notes", kind: "folder", config: {}, label: null, enabled: true },
        ...{ lastSync: null, createdAt: NOW, updatedAt: NOW },
      },
    ],
    meanings: { ofQuery: async () => undefined },
    memory: {
      findMemories: async ({ limit, ...request }) => {
        asked.push(request);
        return memories().slice(0, limit);
      },
    },
  });
  const page = (cursor: string | undefined, limit = 4) =>
    reader.search({
      ...{ query: "common", limit, access: EVERYTHING, types: ["entity", "memory"], memoryOwners: ["ada"] },
      ...(cursor !== undefined && { cursor }),
    });
  return { reader, page, asked };
}

async function documents(count: number): Promise<TestIndex> {
  const t = await sqliteIndex();
  const text = (at: number) => `common ${"other ".repeat(at * 3)}`;
  await t.writer.write(
    Array.from({ length: count }, (_, at) => entity(`${at}`, [text(at)])),
    NOW,
  );
  return t;
}

test("documents and memories come by their scores over all pages, each once", async () => {
  await using t = await documents(13);
  const memories = Array.from({ length: 9 }, (_, at) => memory(at, 1 - at / 9));
  const { page, asked } = readerWith(t, () => memories);
  const pages: (readonly SearchResult[])[] = [];
  let cursor: string | undefined;
  do {
    const found = await page(cursor);
    pages.push(found.results);
    cursor = found.nextCursor;
  } while (cursor !== undefined);
  const all = pages.flat();
  expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 2]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(22);
  expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((a, b) => b - a));
  expect(asked[0]).toMatchObject({ owners: ["ada"], query: { words: "common" }, access: EVERYTHING });
});

test("memories that come or go between two pages neither repeat one nor lose one that stayed", async () => {
  await using t = await documents(3);
  let memories = Array.from({ length: 8 }, (_, at) => memory(at, 0.99 - at / 100));
  const { page } = readerWith(t, () => memories);
  const first = await page(undefined);
  const shown = new Set(first.results.map(({ id }) => id));
  // One that was shown goes, one that was not goes, and a new one comes first.
  memories = [memory(100, 1), ...memories.filter(({ id }) => id !== "mem_1" && id !== "mem_6")];
  const rest: string[] = [];
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const found = await page(cursor);
    rest.push(...found.results.map(({ id }) => id));
    cursor = found.nextCursor;
  }
  expect(rest.filter((id) => shown.has(id))).toEqual([]);
  expect(new Set(rest).size).toBe(rest.length);
  // What is remembered meanwhile comes with the next search.
  expect(rest.filter((id) => id.startsWith("mem_"))).toEqual(["mem_3", "mem_4", "mem_5", "mem_7"]);
});

test("a page is not emptied by memories that are newer than the ones before", async () => {
  await using t = await documents(1);
  let memories = Array.from({ length: 20 }, (_, at) => memory(at, 0.9 - at / 100));
  const { page } = readerWith(t, () => memories);
  const first = await page(undefined, 5);
  memories = [...Array.from({ length: 60 }, (_, at) => memory(100 + at, 0.95)), ...memories];
  const rest = await page(first.nextCursor, 50);
  expect([...first.results, ...rest.results].filter(({ kind }) => kind === "memory")).toHaveLength(20);
});

test("memories are not asked for by whoever wants documents alone, and alone by whoever wants them", async () => {
  await using t = await documents(2);
  const { reader, asked } = readerWith(t, () => [memory(1, 0.5)]);
  const ask = { query: "common", limit: 5, access: EVERYTHING };
  expect((await reader.search(ask)).results.map(({ kind }) => kind)).toEqual(["entity", "entity"]);
  expect(asked).toEqual([]);
  const alone = await reader.search({ ...ask, types: ["memory"] });
  expect(alone.results.map(({ id }) => id)).toEqual(["mem_1"]);
  expect(alone.nextCursor).toBeUndefined();
});
