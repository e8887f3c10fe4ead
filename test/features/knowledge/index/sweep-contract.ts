import { expect, test } from "vitest";
import type { NewEntity } from "../../../../src/features/knowledge/index/index-record.ts";
import type {
  IndexReader,
  IndexWriter,
  SweepStep,
} from "../../../../src/features/knowledge/index/index-store.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength } from "../../../support/length.ts";
import { entity, type FreshIndex, NOW, type TestIndex } from "./indexes.ts";
import { readerOf } from "./search-contract.ts";

const LIMITS = { leastDead: 20, rows: 40 };
const WORDS = "river stone tax garden winter letter market engine bread window paper forest".split(" ");
const QUERIES = [
  "river stone",
  "gard*",
  '"winter letter"',
  "market -bread",
  "engine paper forest",
  "round1*",
];

export function sweepContract(fresh: FreshIndex): void {
  test("however often documents change, the index stays about as small as a fresh one, and finds the same", async () => {
    await using t = await fresh();
    const dice = new Dice(7);
    const documents = Array.from({ length: 40 }, (_, at) => randomDocument(dice, at, 0));
    await t.writer.write(documents, NOW);
    const first = await sizeOf(t.index.reader);
    const sizes: Size[] = [];
    for (let round = 1; round <= atLength(25, 8); round++) {
      const changed = documents.flatMap((_, at) => (dice.chance(0.3) ? [at] : []));
      for (const at of changed) documents[at] = randomDocument(dice, at, round);
      await t.writer.write(
        changed.map((at) => documents[at]!),
        NOW + round,
      );
      await sweepAll(t.index.writer);
      sizes.push(await sizeOf(t.index.reader));
    }
    // Without sweeping it would be about eight times as large.
    expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeLessThan(2 * first.bytes);
    expect(Math.max(...sizes.map(({ rows }) => rows))).toBeLessThan(2 * first.rows);
    await using other = await fresh();
    await other.writer.write(documents, NOW);
    expect(await answers(t)).toEqual(await answers(other));
  });

  test("when all that was there was changed, nothing but what a fresh index has is left", async () => {
    await using t = await fresh();
    await using other = await fresh();
    const dice = new Dice(3);
    const before = Array.from({ length: 30 }, (_, at) => randomDocument(dice, at, 0));
    const after = Array.from({ length: 30 }, (_, at) => randomDocument(dice, at, 1));
    await t.writer.write(before, NOW);
    await t.writer.write(after, NOW);
    await other.writer.write(after, NOW);
    await sweepAll(t.index.writer);
    expect(await sizeOf(t.index.reader)).toEqual(await sizeOf(other.index.reader));
    expect(await answers(t)).toEqual(await answers(other));
  });

  test("blocks of numbers of which every one is dead leave no row", async () => {
    await using t = await fresh();
    const many = Array.from({ length: 4_200 }, (_, at) => `word${at % 50}`);
    await t.writer.write([entity("large", many)], NOW);
    await t.writer.write([entity("large", ["word1"])], NOW);
    await sweepAll(t.index.writer);
    const rows = await t.index.reader.postings(["word0", "word1", "larg"]);
    expect(rows.map(({ term, block }) => [term, block]).sort()).toEqual([
      ["larg", 1],
      ["word1", 1],
    ]);
  });

  test("few dead chunks are left where they are, and so is a share below a quarter", async () => {
    await using t = await fresh();
    const documents = Array.from({ length: 100 }, (_, at) => entity(`${at}`, ["text"]));
    await t.writer.write(documents, NOW);
    expect(await t.index.writer.sweep(LIMITS)).toBe("nothing");
    await t.writer.write(documents.slice(0, 19), NOW);
    expect(await t.index.writer.sweep(LIMITS)).toBe("nothing");
    await t.writer.write(documents.slice(0, 10), NOW);
    expect(await t.index.writer.sweep(LIMITS)).toBe("nothing");
    await t.writer.bury("src_1", ["50", "51", "52", "53", "54"], NOW);
    expect(await sweepAll(t.index.writer)).toBe("ended");
    expect(await t.index.writer.sweep(LIMITS)).toBe("nothing");
  });

  test("a sweep that was killed goes on where it was, whoever writes meanwhile, and every search finds the same", async () => {
    await using t = await fresh();
    await using other = await fresh();
    const dice = new Dice(5);
    for (let round = 0; round < 2; round++)
      await t.writer.write(
        Array.from({ length: 30 }, (_, at) => randomDocument(dice, at, round)),
        NOW,
      );
    const late = Array.from({ length: 40 }, (_, at) => randomDocument(dice, at, 2));
    await other.writer.write(late.slice(10, 30), NOW);
    await t.writer.write(late.slice(10, 30), NOW);
    await t.writer.bury("src_1", [...Array(10).keys()].map(String), NOW);
    const expected = await answers(other);
    let step: SweepStep = "swept";
    let killed = 0;
    for (; step !== "ended"; killed++) {
      // What it had in memory is lost with every opening.
      const { writer, close } = await t.another();
      expect(await writer.sweep(LIMITS)).toBe("begun");
      expect(await answers(t)).toEqual(expected);
      step = await writer.sweep(LIMITS);
      expect(await answers(t)).toEqual(expected);
      await t.writer.write(
        [entity("other source", ["river stone aaa zzz"], { sourceId: `x${killed}` })],
        NOW,
      );
      await close();
    }
    expect(killed).toBeGreaterThan(3);
    const found = await readerOf(t).titles("aaa zzz");
    expect(found).toEqual([]);
    expect((await t.index.reader.postings(["zzz"]))[0]!.data).toHaveLength(3 * killed);
    for (let at = 0; at < killed; at++) await t.writer.forget(`x${at}`);
    expect(await t.index.writer.sweep({ ...LIMITS, leastDead: 1_000 })).toBe("nothing");
    expect(await answers(t)).toEqual(expected);
  });

  test("two who sweep at once and somebody who writes lose nothing", async () => {
    await using t = await fresh();
    await using other = await fresh();
    const dice = new Dice(9);
    const documents = Array.from({ length: 30 }, (_, at) => randomDocument(dice, at, 1));
    await t.writer.write(
      documents.map((document) => ({ ...document, title: "before" })),
      NOW,
    );
    await t.writer.write(documents.slice(0, 20), NOW);
    const { writer } = await t.another();
    await Promise.all([
      sweepAll(t.index.writer),
      sweepAll(writer),
      ...documents.map((document) => t.writer.write([document], NOW)),
    ]);
    await other.writer.write(documents, NOW);
    expect(await answers(t)).toEqual(await answers(other));
  });

  test("vectors of dead chunks are gone, and a buried document leaves nothing but its key", async () => {
    await using t = await fresh();
    const personal = { title: "Secret title", tags: ["private"], metadata: { author: "Ada" } };
    await t.writer.write([entity("a", ["one"], personal), entity("b", ["two"])], NOW);
    const vectors = [1, 2].map((no) => ({ no, vector: Uint8Array.of(1, 2, 3) }));
    await t.index.writer.putVectors("m", vectors);
    await t.writer.write([entity("b", ["three"])], NOW);
    await t.writer.bury("src_1", ["a"], NOW);
    await t.index.writer.putVectors("m", vectors);
    expect(await t.index.reader.vectors([1, 2])).toEqual([]);
    const changes = await t.index.reader.changedEntities({ revision: 0, no: 0 }, 9);
    expect(changes.find(({ no }) => no === 1)).toMatchObject({ type: "", tags: [], chunkCount: 0 });
  });
}

/** Until there is nothing left; how the last sweep ended. */
async function sweepAll(writer: Pick<IndexWriter, "sweep">): Promise<SweepStep> {
  for (let last: SweepStep = "nothing"; ; ) {
    const step = await writer.sweep(LIMITS);
    if (step === "nothing") return last;
    last = step;
  }
}

function randomDocument(dice: Dice, at: number, round: number): NewEntity {
  const text = () =>
    [...Array.from({ length: 12 }, () => dice.one(WORDS)), `round${round}`, `own${at}x${round}`].join(" ");
  const texts = Array.from({ length: 1 + dice.below(3) }, text);
  return entity(`${at}`, texts, { title: `${dice.one(WORDS)} ${at}` });
}

interface Size {
  readonly rows: number;
  readonly bytes: number;
}

async function sizeOf(reader: IndexReader): Promise<Size> {
  const terms = await reader.termsFrom("", 5_000);
  const rows = (await Promise.all(inParts(terms).map((some) => reader.postings(some)))).flat();
  return { rows: rows.length, bytes: rows.reduce((sum, { data }) => sum + data.length, 0) };
}

function inParts(terms: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(terms.length / 500) }, (_, at) =>
    terms.slice(at * 500, (at + 1) * 500),
  );
}

/** Whole pages, scores and all. */
function answers(t: TestIndex) {
  const { search } = readerOf(t);
  return Promise.all(QUERIES.map((query) => search(query, { limit: 50 })));
}
