import { expect, test } from "vitest";
import type { SearchResult, SourceRecord } from "../../../../src/features/knowledge/contract.ts";
import type { Access, SearchRequest } from "../../../../src/features/knowledge/knowledge.ts";
import { knowledgeReader } from "../../../../src/features/knowledge/search/knowledge-reader.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { entity, type FreshIndex, NOW, type TestIndex } from "./indexes.ts";

const EVERYTHING: Access = { labels: null };
const DAY = 86_400_000;

const source = (id: string, name: string, label: string | null = null, kind = "folder"): SourceRecord => ({
  ...{ id, name, kind, config: {}, label, enabled: true, lastSync: null },
  ...{ createdAt: NOW, updatedAt: NOW },
});

const SOURCES = [source("src_1", "Notes"), source("src_2", "mail"), source("src_3", "diary", "private")];

/** A reader over what is in the index; without meanings. */
export function readerOf(t: TestIndex, sources: readonly SourceRecord[] = SOURCES) {
  const reader = knowledgeReader({
    searcher: new Searcher(t.index.reader),
    sources: async () => sources,
    meanings: { ofQuery: async () => undefined },
  });
  const search = (query: string, more: Partial<SearchRequest> = {}) =>
    reader.search({ query, limit: 10, access: EVERYTHING, ...more });
  const titles = async (query: string, more: Partial<SearchRequest> = {}) =>
    (await search(query, more)).results.map(titleOf);
  return { reader, search, titles };
}

export function searchContract(fresh: FreshIndex): void {
  test("any word may match, and who has more of the rarer ones comes first", async () => {
    await using t = await fresh();
    await t.writer.write(
      [
        entity("tax", ["The tax declaration is due in May.", "Keep all receipts."]),
        entity("garden", ["Plant tomatoes in May, water them daily."]),
        entity("cars", ["Winter tyres from October on."]),
      ],
      NOW,
    );
    const { titles, search } = readerOf(t);
    expect(await titles("tax May")).toEqual(["tax", "garden"]);
    expect(await titles("receipt")).toEqual(["tax"]);
    expect(await titles("nothing of this")).toEqual([]);
    const [first] = (await search("tax May")).results;
    expect(first).toMatchObject({ kind: "entity", source: "Notes", type: "markdown", uri: "/docs/tax" });
  });

  test("no query of an agent lists a small index: filters alone show less than half, words at most half", async () => {
    await using t = await fresh();
    const plants = Array.from({ length: 20 }, (_, at) => entity(`plant-${at}`, [`Plant number ${at}`]));
    await t.writer.write(plants, NOW);
    const { search, titles } = readerOf(t);
    for (const query of ["after:2000", "type:markdown", "source:notes", "-nothing type:markdown"]) {
      expect(await titles(query, { limit: 100 })).toHaveLength(20);
      expect(await allPages(search, query)).toHaveLength(10);
    }
    for (const query of ["plant", "number", "pl*", "plant number 1 2 3 4 5 6 7 8 9 10"]) {
      expect(await allPages(search, query)).toHaveLength(10);
      expect((await search(query, { withinHalf: true })).notes).toEqual([
        "More documents match than one search shows. Use words that fewer of them have.",
      ]);
    }
    expect(await titles('"number 7"', { withinHalf: true })).toEqual(["plant-7"]);
  });

  test("chunks are shown with the words of the query marked", async () => {
    await using t = await fresh();
    await t.writer.write(
      [entity("a", ["intro", `${"filler ".repeat(100)}The Receipts are kept. ${"more ".repeat(100)}`])],
      NOW,
    );
    const { search } = readerOf(t);
    const [found] = (await search("receipt kept")).results;
    const [chunk] = found?.kind === "entity" ? found.chunks : [];
    expect(chunk!.id).toBe(`${found!.id}:1`);
    expect(chunk!.snippet.length).toBeLessThan(400);
    expect(chunk!.marks.map(({ start, end }) => chunk!.snippet.slice(start, end))).toEqual([
      "Receipts",
      "kept",
    ]);
  });

  test("a title, a heading, a path and a tag are found, too", async () => {
    await using t = await fresh();
    await t.writer.write(
      [
        entity("travel/lisbon.md", ["we were there"], { title: "Summer" }),
        entity("b", ["nothing"], { title: "Lisbon hotels" }),
        entity("c", ["nothing"], { tags: ["lisbon"] }),
        entity("d", [], {
          chunks: [{ text: "nothing", headings: ["Trips", "Lisbon"], start: 0, end: 7 }],
        }),
        entity("e", ["Porto"]),
      ],
      NOW,
    );
    const { titles } = readerOf(t);
    expect((await titles("lisbon")).sort()).toEqual(["Lisbon hotels", "Summer", "c", "d"]);
  });

  test("a phrase stands word for word", async () => {
    await using t = await fresh();
    await t.writer.write(
      [
        entity("a", ["State of the art, they say."]),
        entity("b", ["The art of the state"]),
        entity("c", ["state-of-the-ART"]),
      ],
      NOW,
    );
    const { titles } = readerOf(t);
    expect((await titles('"state of the art"')).sort()).toEqual(["a", "c"]);
    expect(await titles('art -"state of the art"')).toEqual(["b"]);
    expect(await titles('"art of the state')).toEqual(["b"]);
  });

  test("a beginning finds all words that begin so", async () => {
    await using t = await fresh();
    await t.writer.write(
      [entity("a", ["authentication"]), entity("b", ["authors"]), entity("c", ["other"])],
      NOW,
    );
    const { titles } = readerOf(t);
    expect((await titles("auth*")).sort()).toEqual(["a", "b"]);
    expect(await titles("authen*")).toEqual(["a"]);
    expect(await titles("other -auth*")).toEqual(["c"]);
  });

  test("what is not wanted is left out, whole entities", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a", ["red apple", "a worm"]), entity("b", ["red wine"])], NOW);
    const { titles } = readerOf(t);
    expect(await titles("red -worm")).toEqual(["b"]);
    expect((await titles("red -nothing")).sort()).toEqual(["a", "b"]);
  });

  test("a source is chosen by its kind, too, where none is called so", async () => {
    await using t = await fresh();
    await t.writer.write(
      ["src_1", "src_2", "src_3", "src_4"].map((sourceId) => entity(sourceId, ["word"], { sourceId })),
      NOW,
    );
    const { titles, search } = readerOf(t, [
      source("src_1", "Vault", null, "obsidian"),
      source("src_2", "diary", "private", "obsidian"),
      source("src_3", "papers"),
      source("src_4", "mail", null, "folder"),
      source("src_5", "post", null, "mail"),
    ]);
    const chosen = async (query: string, more: Partial<SearchRequest> = {}) =>
      (await titles(query, more)).sort();
    expect(await chosen("word", { source: "obsidian" })).toEqual(["src_1", "src_2"]);
    expect(await chosen("word source:Obsidian source:papers")).toEqual(["src_1", "src_2", "src_3"]);
    expect(await chosen("word -source:obsidian")).toEqual(["src_3", "src_4"]);
    // A name goes before a kind, so one source can always be meant.
    expect(await chosen("word source:mail")).toEqual(["src_4"]);
    // Labels hold, for notes as well.
    const nobody = { source: "obsidian", access: { labels: [] } };
    expect(await chosen("word", nobody)).toEqual(["src_1"]);
    expect((await search("word", nobody)).notes).toEqual([]);
    expect(await search("word", { source: "notion" })).toMatchObject({
      ...{ results: [], notes: ['There is no source "notion".'] },
    });
  });

  test("filters narrow by source, type, tag and time", async () => {
    await using t = await fresh();
    await t.writer.write(
      [
        entity("a", ["word"], { tags: ["work", "tax/2026"], documentAt: Date.UTC(2026, 0, 15) }),
        entity("b", ["word"], { type: "pdf", documentAt: Date.UTC(2025, 5, 1) }),
        entity("c", ["word"], { sourceId: "src_2", tags: ["work"], documentAt: Date.UTC(2024, 0, 1) }),
      ],
      NOW,
    );
    const { titles, search } = readerOf(t);
    expect(await titles("word source:mail")).toEqual(["c"]);
    expect(await titles("word", { source: "NOTES" })).toHaveLength(2);
    expect(await titles("word type:PDF")).toEqual(["b"]);
    expect((await titles("word tag:work")).sort()).toEqual(["a", "c"]);
    expect(await titles("word tag:#tax tag:work")).toEqual(["a"]);
    expect(await titles("word after:2025 before:2026")).toEqual(["b"]);
    expect((await titles("word -source:mail")).sort()).toEqual(["a", "b"]);
    expect(await titles("tag:work")).toEqual(["a", "c"]);
    const odd = await search("word source:nowhere before:yesterday tag:");
    expect(odd.results).toEqual([]);
    expect(odd.notes).toHaveLength(3);
  });

  test("what is written, rewritten, buried or forgotten counts in the next search", async () => {
    await using t = await fresh();
    const { titles } = readerOf(t);
    expect(await titles("word")).toEqual([]);
    await t.writer.write([entity("a", ["word"]), entity("b", ["word word"], { sourceId: "src_2" })], NOW);
    expect((await titles("word")).sort()).toEqual(["a", "b"]);
    await t.writer.write([entity("a", ["something else"])], NOW);
    expect(await titles("word")).toEqual(["b"]);
    await t.writer.write([entity("a", ["word again"])], NOW);
    await t.writer.bury("src_1", ["a"], NOW);
    expect(await titles("word")).toEqual(["b"]);
    await t.writer.forget("src_2");
    expect(await titles("word")).toEqual([]);
  });

  test("an entity and its chunks are read, with neighbours", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a", ["zero", "one", "two", "three"])], NOW);
    const { reader, search } = readerOf(t);
    const { id } = (await search("one")).results[0]!;
    const whole = await reader.entity(id, EVERYTHING);
    expect(whole?.chunks.map(({ text }) => text)).toEqual(["zero", "one", "two", "three"]);
    expect(whole).toMatchObject({ title: "a", source: "Notes", truncated: false, indexedAt: NOW });
    const near = await reader.chunk(`${id}:1`, 1, EVERYTHING);
    expect(near?.chunks.map(({ id: own }) => own)).toEqual([`${id}:0`, `${id}:1`, `${id}:2`]);
    expect(await reader.chunk(`${id}:4`, 1, EVERYTHING)).toBeUndefined();
    expect(await reader.chunk("nonsense", 1, EVERYTHING)).toBeUndefined();
    expect(await reader.entity("none", EVERYTHING)).toBeUndefined();
  });

  test("what a caller may not see is as if it were not there, in results, scores and statistics", async () => {
    await using t = await fresh();
    await t.writer.write(
      [entity("a", ["blue moon over the sea"]), entity("b", ["blue sky"]), entity("c", ["green"])],
      NOW,
    );
    const ask = { access: { labels: ["work"] } };
    const { search, reader } = readerOf(t);
    const before = await search("blue moon secret", ask);
    const hidden = Array.from({ length: 30 }, (_, at) =>
      entity(`d${at}`, ["blue secret moon, a long long text of more words than others have"], {
        sourceId: "src_3",
      }),
    );
    await t.writer.write(hidden, NOW);
    expect(await search("blue moon secret", ask)).toEqual(before);
    expect(await search("blue source:diary", ask)).toMatchObject({
      results: [],
      notes: ['There is no source "diary".'],
    });
    const [secret] = (await search("secret", { access: { labels: ["private"] } })).results;
    expect(secret).toMatchObject({ source: "diary" });
    expect(await reader.entity(secret!.id, ask.access)).toBeUndefined();
    expect(await reader.chunk(`${secret!.id}:0`, 0, ask.access)).toBeUndefined();
  });

  test("words of other scripts are found", async () => {
    await using t = await fresh();
    await t.writer.write(
      [
        entity("a", ["東京の天気はいいです"]),
        entity("b", ["Ärger mit der Straße"]),
        entity("c", ["Привет, мир"]),
      ],
      NOW,
    );
    const { titles } = readerOf(t);
    expect(await titles("東京")).toEqual(["a"]);
    expect(await titles("strasse arger")).toEqual(["b"]);
    expect(await titles("МИР")).toEqual(["c"]);
  });

  test("nothing that anybody can type fails", async () => {
    await using t = await fresh();
    await t.writer.write([entity("a", ["word"])], NOW);
    const { search } = readerOf(t);
    const odd = [
      "",
      " ",
      '"',
      '""',
      "-",
      "*",
      "a*",
      '-"',
      "tag:",
      "the",
      "\0",
      "😀",
      "\ud800",
      "%_'\\",
      ":::",
    ];
    for (const query of [...odd, "x ".repeat(5_000), '"'.repeat(5_000), "w* ".repeat(500)])
      expect((await search(query)).results.length).toBeLessThan(2);
  });

  test("paging while documents change neither repeats nor loses one that did not change", async () => {
    await using t = await fresh();
    const text = (at: number) => `common ${"rare ".repeat(at % 7)} filler ${"word ".repeat(at % 11)}`;
    await t.writer.write(
      Array.from({ length: 60 }, (_, at) => entity(`${at}`, [text(at), "second common passage"])),
      NOW,
    );
    // Another process goes on where this one began.
    const readers = [readerOf(t), readerOf(t)];
    const seen: string[] = [];
    const changed = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page === 0 || cursor !== undefined; page++) {
      const found = await readers[page % 2]!.search("common rare", { limit: 7, ...(cursor && { cursor }) });
      seen.push(...found.results.map(titleOf));
      cursor = found.nextCursor;
      const at = page * 5;
      for (const key of [at, at + 1, at + 2]) changed.add(`${key}`);
      await t.writer.write(
        [entity(`${at}`, ["common rare rare rare rare"]), entity(`new${page}`, ["common rare"])],
        NOW,
      );
      await t.writer.write([entity(`${at + 1}`, ["nothing of it any more"])], NOW);
      await t.writer.bury("src_1", [`${at + 2}`], NOW);
    }
    expect(new Set(seen).size).toBe(seen.length);
    const unchanged = Array.from({ length: 60 }, (_, at) => `${at}`).filter((key) => !changed.has(key));
    expect(unchanged.length).toBeGreaterThan(10);
    expect(unchanged.filter((key) => !seen.includes(key))).toEqual([]);
  });

  test("a cursor belongs to its query and to what its caller may see", async () => {
    await using t = await fresh();
    await t.writer.write(
      Array.from({ length: 5 }, (_, at) => entity(`${at}`, ["common"])),
      NOW,
    );
    const { search } = readerOf(t);
    const { nextCursor } = await search("common", { limit: 2 });
    const cursor = nextCursor!;
    expect((await search("common", { limit: 2, cursor })).results).toHaveLength(2);
    const refused = { code: "BAD_REQUEST", message: expect.stringContaining("cursor") };
    await expect(search("other", { cursor })).rejects.toMatchObject(refused);
    await expect(search("common", { cursor, access: { labels: [] } })).rejects.toMatchObject(refused);
    for (const odd of ["", "x", "AAAA", `${cursor}AAAA`, cursor.slice(0, -3), "A".repeat(20_000)])
      await expect(search("common", { cursor: odd })).rejects.toMatchObject(refused);
  });

  test("time moves nothing: the same query gives the same answer", async () => {
    await using t = await fresh();
    const texts = Array.from({ length: 50 }, (_, at) =>
      entity(`${at}`, ["same words here"], { documentAt: NOW - at * DAY }),
    );
    await t.writer.write(texts, NOW);
    const { search } = readerOf(t);
    expect(await search("same words")).toEqual(await search("same words"));
  });
}

function titleOf(found: SearchResult): string {
  return found.kind === "entity" ? found.title : found.id;
}

/** What all pages of an agent's search show. */
async function allPages(search: ReturnType<typeof readerOf>["search"], query: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await search(query, { limit: 3, withinHalf: true, ...(cursor !== undefined && { cursor }) });
    found.push(...page.results.map(titleOf));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}
