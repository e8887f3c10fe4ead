import { expect, test } from "vitest";
import { termsOf } from "../../../../src/machine/text/analyser.ts";
import { TextIndex } from "../../../../src/machine/text/index/text-index.ts";
import { Dice } from "../../../support/dice.ts";

const ids = (index: TextIndex, query: string, limit = 10) =>
  index.search(query, { limit }).map(({ id }) => id);

function filled(texts: Readonly<Record<string, string>>): TextIndex {
  const index = new TextIndex();
  for (const [id, text] of Object.entries(texts)) index.put(id, text);
  return index;
}

test("the text with the rarer words of the query comes first", () => {
  const index = filled({
    a: "the deploy runs on the server every night",
    b: "the server is in the cellar",
    c: "deploy to the staging server with the blue key",
  });
  expect(ids(index, "staging deploy server")).toEqual(["c", "a", "b"]);
});

test("a word counts more in a short text than in a long one", () => {
  const index = filled({ long: `invoice ${"other words here ".repeat(50)}`, short: "invoice folder" });
  expect(ids(index, "invoice")).toEqual(["short", "long"]);
});

test("a word counts more in a part of more weight", () => {
  const index = new TextIndex();
  index.put("b_title", [
    { text: "screenshot", weight: 3 },
    { text: "takes a picture of a page", weight: 1 },
  ]);
  index.put("a_body", [
    { text: "browser", weight: 3 },
    { text: "screenshot of a page", weight: 1 },
  ]);
  expect(ids(index, "screenshot")).toEqual(["b_title", "a_body"]);
});

test("a word that was only begun is found, after those who have it whole", () => {
  const index = filled({ a: "repository of the team", b: "the repo of the team", c: "something else" });
  expect(ids(index, "repo")).toEqual(["b", "a"]);
  expect(ids(index, "re")).toEqual([]);
});

test("equal matches come in the order of their ids", () => {
  const index = filled({ c: "same words", a: "same words", b: "same words" });
  expect(ids(index, "same")).toEqual(["a", "b", "c"]);
  expect(ids(index, "same", 2)).toEqual(["a", "b"]);
});

test("what is not accepted takes no place among the few that come back", () => {
  const index = filled({ a: "key key key", b: "key", c: "a key to something else" });
  const accept = (id: string) => id !== "a";
  expect(index.search("key", { limit: 1, accept }).map(({ id }) => id)).toEqual(["b"]);
});

test("nothing is found for nothing, in nothing, or without room", () => {
  const index = filled({ a: "some text" });
  expect(ids(index, "")).toEqual([]);
  expect(ids(index, "!?")).toEqual([]);
  expect(ids(index, "some", 0)).toEqual([]);
  expect(ids(index, "some", -1)).toEqual([]);
  expect(ids(new TextIndex(), "some")).toEqual([]);
});

test("a text that was replaced is no longer found by its old words", () => {
  const index = filled({ a: "old words" });
  index.put("a", "new sentence");
  expect(ids(index, "old")).toEqual([]);
  expect(ids(index, "sentence")).toEqual(["a"]);
  expect(index.size).toBe(1);
});

test("an emptied index holds nothing", () => {
  const index = filled({ a: "one", b: "two" });
  index.clear();
  expect([index.size, index.has("a"), ids(index, "one")]).toEqual([0, false, []]);
});

test("a text without a word is kept and never found", () => {
  const index = filled({ a: "…", b: "word" });
  expect([index.has("a"), ids(index, "…"), ids(index, "word")]).toEqual([true, [], ["b"]]);
});

const WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho".split(
  " ",
);

test("after any changes an index answers as one that was made afresh", () => {
  const dice = new Dice(42);
  for (let round = 0; round < 60; round++) {
    const index = new TextIndex();
    const texts = new Map<string, string>();
    for (let step = 0; step < 40; step++) {
      const id = `t${dice.below(12)}`;
      if (dice.chance(0.3)) expect(index.delete(id)).toBe(texts.delete(id));
      else {
        const text = Array.from({ length: dice.below(8) }, () => dice.one(WORDS)).join(" ");
        index.put(id, text);
        texts.set(id, text);
      }
    }
    const fresh = filled(Object.fromEntries(texts));
    const query = [dice.one(WORDS), dice.one(WORDS), dice.one(WORDS).slice(0, 3)].join(" ");
    const [found, expected] = [index, fresh].map((each) => each.search(query, { limit: 20 }));
    expect(found!.map(({ id }) => id)).toEqual(expected!.map(({ id }) => id));
    for (const [at, { score }] of found!.entries()) expect(score).toBeCloseTo(expected![at]!.score, 9);
    expect(index.size).toBe(texts.size);
  }
});

test("exactly the texts that share a word, or the beginning of one, with the query are found", () => {
  const dice = new Dice(7);
  for (let round = 0; round < 100; round++) {
    const texts = Object.fromEntries(
      Array.from({ length: 15 }, (_, at) => [
        `t${at}`,
        Array.from({ length: 1 + dice.below(6) }, () => dice.one(WORDS)).join(" "),
      ]),
    );
    const query = `${dice.one(WORDS)} ${dice.one(WORDS).slice(0, 3)}`;
    const sought = termsOf(query);
    const matches = (term: string) =>
      sought.some((each) => term === each || (each.length >= 3 && term.startsWith(each)));
    const expected = Object.keys(texts).filter((id) => termsOf(texts[id]!).some(matches));
    expect(ids(filled(texts), query, 100).sort(), query).toEqual(expected.sort());
  }
});

test("a smaller limit gives the beginning of what a larger one gives", () => {
  const dice = new Dice(11);
  const index = new TextIndex();
  for (let at = 0; at < 300; at++)
    index.put(`t${at}`, Array.from({ length: 1 + dice.below(20) }, () => dice.one(WORDS)).join(" "));
  const all = ids(index, "alpha gamma pi", 300);
  for (const limit of [1, 2, 10, 50])
    expect(ids(index, "alpha gamma pi", limit)).toEqual(all.slice(0, limit));
});

test("thousands of texts are searched in a few milliseconds", () => {
  const dice = new Dice(3);
  const index = new TextIndex();
  for (let at = 0; at < 3_584; at++)
    index.put(`t${at}`, Array.from({ length: 40 }, () => `${dice.one(WORDS)}${dice.below(30)}`).join(" "));
  const cpu = process.cpuUsage();
  for (let round = 0; round < 100; round++) index.search("alpha beta1 gamma2 something", { limit: 10 });
  const { user } = process.cpuUsage(cpu);
  expect(user / 1_000 / 100).toBeLessThan(20);
});
