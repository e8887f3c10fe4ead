import { expect, test } from "vitest";
import type { NewEntity } from "../../../../src/features/knowledge/index/index-record.ts";
import type { Access, SearchRequest } from "../../../../src/features/knowledge/knowledge.ts";
import { knowledgeReader } from "../../../../src/features/knowledge/search/knowledge-reader.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { Dice } from "../../../support/dice.ts";
import { atLength } from "../../../support/length.ts";
import { entity, type FreshIndex, NOW, type TestIndex } from "./indexes.ts";

const EVERYTHING: Access = { labels: null };
const DAY = 86_400_000;
const MODEL = "drawn";
const DIMENSIONS = 32;

export function pagingContract(fresh: FreshIndex): void {
  test("newer documents push none out of the pages of a query of filters alone", async () => {
    await using t = await fresh();
    const dated = (key: string, at: number) =>
      entity(key, ["text"], { tags: ["work"], documentAt: NOW + at * DAY });
    await t.writer.write(
      Array.from({ length: 120 }, (_, at) => dated(`old ${at}`, -at)),
      NOW,
    );
    const { pages } = pagedReader(t);
    const seen: string[] = [];
    for await (const titles of pages("tag:work", 30)) {
      seen.push(...titles);
      if (seen.length === 30)
        await t.writer.write(
          Array.from({ length: 30 }, (_, at) => dated(`new ${at}`, 1)),
          NOW,
        );
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, at) => `old ${at}`));
  });

  test("every document with a phrase comes, however many passages have its words", async () => {
    await using t = await fresh();
    const others = Array.from({ length: 19 }, () => "beta gamma delta epsilon alpha zeta eta theta iota");
    const keys = Array.from({ length: 115 }, (_, at) => `${at}`);
    await t.writer.write(
      keys.map((key) => entity(key, ["alpha beta", ...others])),
      NOW,
    );
    const { pages } = pagedReader(t);
    const seen: string[] = [];
    for await (const titles of pages('"alpha beta"', 10)) seen.push(...titles);
    expect(seen.sort()).toEqual(keys.sort());
  });

  test("a phrase far behind in a long document is found on a later page, whatever came before it", async () => {
    await using t = await fresh();
    const filler = Array.from({ length: 210 }, (_, at) => `filler ${at}`);
    const others = Array.from({ length: 6 }, (_, at) => entity(`${at}`, ["alpha beta"]));
    await t.writer.write([...others, entity("long", [...filler, "alpha beta, and more of it"])], NOW);
    const { pages } = pagedReader(t);
    const seen: string[] = [];
    for await (const titles of pages('"alpha beta"', 3)) {
      seen.push(...titles);
      const better = Array.from({ length: 110 }, () => "alpha beta");
      if (seen.length === 3)
        await t.writer.write(
          Array.from({ length: 8 }, (_, at) => entity(`better ${at}`, better)),
          NOW,
        );
    }
    expect(seen.sort()).toEqual(["0", "1", "2", "3", "4", "5", "long"]);
  });

  test("whatever is asked and whatever changes meanwhile, what did not change comes exactly once", {
    timeout: 120_000,
  }, async () => {
    const dice = new Dice(20_261_117);
    await using t = await fresh();
    const keys = Array.from({ length: 40 }, (_, at) => `${at}`);
    await t.writer.write(
      keys.map((key) => drawn(key, dice)),
      NOW,
    );
    await embed(t, dice);
    for (let query = 0; query < atLength(12, 4); query++) await pagesHold(t, keys, dice);
  });
}

/** Asks once for everything, then page by page with changes in between. */
async function pagesHold(t: TestIndex, keys: readonly string[], dice: Dice): Promise<void> {
  const query = drawnQuery(dice);
  const { search, pages } = pagedReader(t, dice.below(2) === 0 ? drawnVector(dice) : undefined);
  const whole = (await search(query, { limit: 100 })).results.map(({ title }) => title);
  const changed = new Set<string>();
  const seen: string[] = [];
  for await (const titles of pages(query, 3 + dice.below(8))) {
    seen.push(...titles);
    const those = [dice.one(keys), dice.one(keys), `new ${seen.length}`];
    for (const key of those) changed.add(key);
    const [gone, ...written] = those as [string, ...string[]];
    await t.writer.bury("src_1", [gone], NOW);
    await t.writer.write(
      written.map((key) => drawn(key, dice)),
      NOW,
    );
    if (dice.below(2) === 0) await embed(t, dice);
  }
  expect(new Set(seen).size, query).toBe(seen.length);
  const unchanged = whole.filter((key) => !changed.has(key));
  expect(
    unchanged.filter((key) => !seen.includes(key)),
    query,
  ).toEqual([]);
}

const WORDS = ["red", "green", "blue", "bright", "broad", "great", "grey", "round", "robin", "rose"];
const TAGS = ["work", "home", "travel"];
const TYPES = ["markdown", "pdf", "mail"];

function drawn(key: string, dice: Dice): NewEntity {
  const chunks = Array.from({ length: 1 + dice.below(4) }, () =>
    Array.from({ length: 2 + dice.below(5) }, () => dice.one(WORDS)).join(" "),
  );
  return entity(key, chunks, {
    tags: [dice.one(TAGS)],
    type: dice.one(TYPES),
    documentAt: NOW - dice.below(1_000) * DAY,
  });
}

function drawnQuery(dice: Dice): string {
  const word = () => dice.one(WORDS);
  const kinds = [
    () => `${word()} ${word()}`,
    () => `"${word()} ${word()}"`,
    () => `${word()} "${word()} ${word()}"`,
    () => `${word().slice(0, 2)}*`,
    () => `${word()} -${word()}`,
    () => `${word()} -${word().slice(0, 2)}*`,
    () => `${word()} ${word()} -"${word()} ${word()}"`,
    () => `${word()} tag:${dice.one(TAGS)}`,
    () => `tag:${dice.one(TAGS)}`,
    () => `type:${dice.one(TYPES)} before:2026-06`,
    () => `${word()} -type:${dice.one(TYPES)} after:2025`,
  ];
  return dice.one(kinds)();
}

function drawnVector(dice: Dice): Int8Array {
  return Int8Array.from({ length: DIMENSIONS }, () => dice.below(255) - 127);
}

/** Some of the passages that have no vector get one. */
async function embed({ index }: TestIndex, dice: Dice): Promise<void> {
  const without = await index.writer.withoutVector(MODEL, 0, 1_000);
  await index.writer.putVectors(
    MODEL,
    without
      .filter(() => dice.below(4) > 0)
      .map(({ no }) => ({ no, vector: new Uint8Array(drawnVector(dice).buffer) })),
  );
}

/** Two processes in turn, over one source. */
function pagedReader(t: TestIndex, vector?: Int8Array) {
  const readers = [0, 1].map(() =>
    knowledgeReader({
      searcher: new Searcher(t.index.reader),
      sources: async () => [
        {
          ...{ id: "src_1", name: "notes", kind: "folder", config: {}, label: null, enabled: true },
          ...{ lastSync: null, createdAt: NOW, updatedAt: NOW },
        },
      ],
      meanings: { ofQuery: async () => vector && { model: MODEL, vector, floor: -1 } },
    }),
  );
  let turn = 0;
  const search = async (query: string, more: Partial<SearchRequest>) => {
    const page = await readers[turn++ % 2]!.search({ query, limit: 10, access: EVERYTHING, ...more });
    const results = page.results.flatMap((found) => (found.kind === "entity" ? [found] : []));
    return { ...page, results };
  };
  async function* pages(query: string, limit: number): AsyncGenerator<string[]> {
    let cursor: string | undefined;
    do {
      const page = await search(query, { limit, ...(cursor !== undefined && { cursor }) });
      yield page.results.map(({ title }) => title);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
  }
  return { search, pages };
}
