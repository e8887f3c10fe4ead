import { expect, test } from "vitest";
import { knowledgeReader } from "../../../src/features/knowledge/search/knowledge-reader.ts";
import { threadSearcher, threadWriter } from "../../../src/features/knowledge/threads/index-proxies.ts";
import { indexCaller } from "../../../src/features/knowledge/threads/index-threads.ts";
import { tempHome } from "../../support/temp-home.ts";
import { entity, NOW } from "./index/indexes.ts";

/** As it is built: Node cannot start a thread from TypeScript. */
const THREAD = new URL("../../../dist/bundle/index-thread.js", import.meta.url);

async function testThreads(home: string) {
  const place = { home, databaseUrl: null };
  const writing = indexCaller({ role: "writer", place }, THREAD);
  const searching = indexCaller({ role: "searcher", place }, THREAD);
  const reader = knowledgeReader({
    searcher: threadSearcher(searching),
    sources: async () => [
      {
        ...{ id: "src_1", name: "notes", kind: "folder", config: {}, label: null, enabled: true },
        ...{ lastSync: null, createdAt: NOW, updatedAt: NOW },
      },
    ],
    meanings: { ofQuery: async () => undefined },
  });
  return {
    writer: threadWriter(writing),
    search: (query: string) => reader.search({ query, limit: 5, access: { labels: null } }),
    async [Symbol.asyncDispose]() {
      await Promise.all([writing.close(), searching.close()]);
    },
  };
}

test("a search is answered while a thread writes, and the main thread stays free", async () => {
  await using home = await tempHome();
  await using t = await testThreads(home.path);
  await t.writer.write([entity("first", ["needle"])], NOW);
  const passages = Array.from({ length: 5 }, (_, at) => `some text ${at} ${"more words ".repeat(40)}`);
  let written = 0;
  let isEnough = false;
  const writing = (async () => {
    for (; !isEnough; written += 1) {
      const many = Array.from({ length: 300 }, (_, at) => entity(`${written}-${at}`, passages));
      await t.writer.write(many, NOW);
    }
  })();
  // Only a search that began and ended within one and the same write has not waited for it.
  let answered = 0;
  for (let searches = 0; answered < 3 && searches < 500; searches += 1) {
    const before = written;
    expect((await t.search("needle")).results).toHaveLength(1);
    if (before === written) answered += 1;
  }
  isEnough = true;
  await writing;
  expect(answered).toBe(3);
  expect((await t.search("text")).results).toHaveLength(5);
});

test("progress, errors of the catalogue and a thread that is closed reach whoever asked", async () => {
  await using home = await tempHome();
  const t = await testThreads(home.path);
  await t.writer.write([entity("a", ["one"])], NOW);
  const left: number[] = [];
  await t.writer.forget("src_1", (count) => left.push(count));
  expect(left).toEqual([0]);
  await expect(t.writer.write([{ ...entity("b", []), title: null as never }], NOW)).rejects.toThrow();
  await t[Symbol.asyncDispose]();
  await expect(t.writer.known("src_1", null, 1)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});

test("an index that cannot be opened says so, and is tried anew", async () => {
  await using t = await testThreads("/dev/null/nowhere");
  await expect(t.search("word")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await expect(t.search("word")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});
