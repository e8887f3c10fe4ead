import { expect, test } from "vitest";
import type { IndexReader } from "../../../../src/features/knowledge/index/index-store.ts";
import { visitPostings } from "../../../../src/features/knowledge/index/postings.ts";
import { entity, type FreshIndex, NOW } from "./indexes.ts";

export function writerContract(fresh: FreshIndex): void {
  test("what was written is known by key, a page at a time", async () => {
    await using t = await fresh();
    const keys = ["b.md", "a/ä.md", "a/b.md", "a/😀.md", "a/\uffee.md", "Z.md"];
    await t.writer.write(
      keys.map((key) => entity(key, ["text"])),
      NOW,
    );
    const known = await t.writer.known("src_1", null, 4);
    const rest = await t.writer.known("src_1", known.at(-1)!.key, 4);
    expect([...known, ...rest].map(({ key }) => key)).toEqual(
      keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    expect(known[0]).toEqual({ key: "Z.md", modifiedAt: NOW, size: 100, hash: "hash of text" });
    expect(await t.writer.known("src_2", null, 4)).toEqual([]);
  });

  test("an entity comes back as it was written, with its chunks in order", async () => {
    await using t = await fresh();
    const written = entity("a.md", ["first", "second \0 \ud800 half", "third"], {
      tags: ["one", "two"],
      metadata: { deep: { list: [1, "x"] } },
    });
    await t.writer.write([written], NOW);
    const found = await byKey(t.index.reader, "a.md");
    expect(found).toMatchObject({
      ...{ sourceId: "src_1", key: "a.md", title: "a.md", type: "markdown", uri: "/docs/a.md" },
      ...{ tags: ["one", "two"], metadata: { deep: { list: [1, "x"] } }, chunkCount: 3, goneAt: null },
    });
    const chunks = await t.index.reader.chunksOf(found!, 1, 10);
    expect(chunks.map(({ index, text, start }) => [index, text, start])).toEqual([
      [1, "second \ufffd \ufffd half", 1000],
      [2, "third", 2000],
    ]);
  });

  test("postings say which chunks have a term", async () => {
    await using t = await fresh();
    await t.writer.write(
      [entity("a.md", ["red apple", "green pear"]), entity("b.md", ["red red wine"])],
      NOW,
    );
    await t.writer.write([entity("c.md", ["nothing but red"])], NOW);
    expect(await t.index.reader.postings(["nowhere"])).toEqual([]);
    expect(await chunksWith(t.index.reader, "red")).toEqual([1, 3, 4]);
    expect(await chunksWith(t.index.reader, "pear")).toEqual([2]);
    expect(await t.index.reader.termsFrom("p", 10)).toEqual(["pear"]);
  });

  test("a rewritten entity keeps its id and number, and nothing of its old chunks is left", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one", "two", "three"])], NOW);
    const before = await byKey(t.index.reader, "a.md");
    await t.writer.write([entity("a.md", ["four"], { title: "New" })], NOW + 1);
    const after = await byKey(t.index.reader, "a.md");
    expect(after).toMatchObject({ id: before!.id, no: before!.no, title: "New", indexedAt: NOW + 1 });
    const old = Array.from({ length: 3 }, (_, at) => before!.firstChunk + at);
    expect(await t.index.reader.chunks(old)).toEqual([]);
    expect(after!.firstChunk).toBeGreaterThan(old.at(-1)!);
  });

  test("of two with the same key in one write the last counts", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one"]), entity("a.md", ["two", "three"])], NOW);
    expect((await byKey(t.index.reader, "a.md"))?.chunkCount).toBe(2);
  });

  test("chunks that are the same as before keep their vectors", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one", "two"])], NOW);
    const [one, two] = await t.index.writer.withoutVector("m", 0, 10);
    expect([one, two].map((chunk) => chunk?.text)).toEqual(["one", "two"]);
    await t.index.writer.putVectors("m", [vector(one!.no, 1), vector(two!.no, 2), vector(999, 3)]);
    expect(await t.index.writer.withoutVector("m", 0, 10)).toEqual([]);

    await t.writer.write([entity("a.md", ["new", "two"])], NOW);
    const [left, ...more] = await t.index.writer.withoutVector("m", 0, 10);
    expect([left?.text, more]).toEqual(["new", []]);
    expect(await vectorsOf(t.index.reader, [left!.no + 1])).toEqual([vector(left!.no + 1, 2)]);
    expect(await t.index.reader.vectors([one!.no, two!.no, 999])).toEqual([]);
  });

  test("vectors of one model are not kept beside those of another", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one", "two"])], NOW);
    await t.index.writer.putVectors("m", [vector(1, 1), vector(2, 2)]);
    await t.index.writer.putVectors("other", [vector(2, 3)]);
    expect(await t.index.reader.state()).toMatchObject({ model: "other" });
    expect(await vectorsOf(t.index.reader, [1, 2])).toEqual([vector(2, 3)]);
  });

  test("a touched entity has another state of its file and the same chunks", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one"])], NOW);
    await t.writer.touch("src_1", [{ key: "a.md", modifiedAt: NOW + 5, size: 7 }]);
    expect(await t.writer.known("src_1", null, 9)).toEqual([
      { key: "a.md", modifiedAt: NOW + 5, size: 7, hash: "hash of one" },
    ]);
    expect((await byKey(t.index.reader, "a.md"))?.firstChunk).toBe(1);
  });

  test("a buried entity is not known any more, and has its id again when it comes back", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one"]), entity("b.md", ["two"])], NOW);
    const before = await byKey(t.index.reader, "a.md");
    await t.writer.bury("src_1", ["a.md", "never.md"], NOW);
    expect((await t.writer.known("src_1", null, 9)).map(({ key }) => key)).toEqual(["b.md"]);
    expect(await t.index.reader.entityById(before!.id)).toBeUndefined();
    expect(await t.index.reader.chunks([before!.firstChunk])).toEqual([]);
    await t.writer.write([entity("a.md", ["again"])], NOW);
    expect(await t.index.reader.entityById(before!.id)).toMatchObject({ no: before!.no, chunkCount: 1 });
  });

  test("a forgotten source leaves nothing, and can be written anew", async () => {
    await using t = await fresh();
    const many = Array.from({ length: 450 }, (_, at) => entity(`${at}.md`, ["some text"]));
    await t.writer.write([...many, entity("x.md", ["other"], { sourceId: "src_2" })], NOW);
    const left: number[] = [];
    await t.writer.forget("src_1", (count) => left.push(count));
    expect(left).toEqual([250, 50, 0]);
    expect(await t.writer.known("src_1", null, 9)).toEqual([]);
    expect([...(await t.index.reader.sources()).values()]).toEqual(["src_2"]);
    expect((await t.index.writer.withoutVector("m", 0, 500)).map(({ text }) => text)).toEqual(["other"]);
    await t.writer.write([entity("1.md", ["anew"])], NOW);
    expect(await t.writer.known("src_1", null, 9)).toHaveLength(1);
    await t.writer.forget("never written");
  });

  test("what changed comes in the order of changes, each as it is now", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one"]), entity("b.md", ["two"]), entity("c.md", ["x"])], NOW);
    const { reader } = t.index;
    const first = await reader.changedEntities({ revision: 0, no: 0 }, 2);
    expect(first.map(({ no }) => no)).toEqual([1, 2]);
    await t.writer.write([entity("a.md", ["longer than before"])], NOW);
    await t.writer.bury("src_1", ["b.md"], NOW);
    const rest = await reader.changedEntities(first[1]!, 9);
    expect(rest.map(({ no, chunkCount }) => [no, chunkCount])).toEqual([
      [3, 1],
      [1, 1],
      [2, 0],
    ]);
    expect(await reader.changedEntities(rest.at(-1)!, 9)).toEqual([]);
  });

  test("a write that fails changes nothing", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a.md", ["one"])], NOW);
    const broken = entity("b.md", ["two"], { title: null as unknown as string, metadata: {} });
    await expect(t.index.writer.write([{ ...broken, chunks: [] }], NOW)).rejects.toThrow();
    expect((await t.writer.known("src_1", null, 9)).map(({ key }) => key)).toEqual(["a.md"]);
    await t.writer.write([entity("c.md", ["three"])], NOW);
    expect((await byKey(t.index.reader, "c.md"))?.no).toBe(2);
  });

  test("two who write at once wait for each other", async () => {
    await using t = await fresh();
    const { writer } = await t.another();
    const { knowledgeWriter } = await import(
      "../../../../src/features/knowledge/indexing/knowledge-writer.ts"
    );
    const other = knowledgeWriter(writer);
    await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 ? t.writer : other).write([entity(`${at}.md`, ["some words", "more"])], NOW),
      ),
    );
    expect(await t.writer.known("src_1", null, 99)).toHaveLength(10);
    expect(await chunksWith(t.index.reader, "word")).toHaveLength(10);
  });
}

const vector = (no: number, value: number) => ({ no, vector: Uint8Array.of(value, value) });

async function vectorsOf(reader: IndexReader, nos: readonly number[]) {
  return (await reader.vectors(nos)).map((one) => ({ ...one, vector: Uint8Array.from(one.vector) }));
}

async function byKey(reader: IndexReader, key: string) {
  const changes = await reader.changedEntities({ revision: 0, no: 0 }, 1000);
  return (await reader.entities(changes.map(({ no }) => no))).find((one) => one.key === key);
}

async function chunksWith(reader: IndexReader, term: string): Promise<number[]> {
  const nos: number[] = [];
  for (const { block, data } of await reader.postings([term]))
    visitPostings(block, data, (no) => nos.push(no));
  return nos;
}
