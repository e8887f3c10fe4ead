import { expect, test } from "vitest";
import { Analyser, MAX_TERMS, termsOf } from "../../../src/machine/text/analyser.ts";
import { stem } from "../../../src/machine/text/stem.ts";
import { fold, wordsOf } from "../../../src/machine/text/words.ts";
import { Dice } from "../../support/dice.ts";

test("names of tools and variables come apart into their words", () => {
  expect(termsOf("mcp_github_create_issue")).toEqual(["mcp", "github", "creat", "issu"]);
  expect(termsOf("listOpenTickets")).toEqual(termsOf("list open tickets listopentickets"));
  expect(termsOf("HTTPServer")).toEqual(["http", "server", "httpserver"]);
});

test("a name written with capitals is also found as one word", () => {
  expect(termsOf("GitHub")).toContain(termsOf("github")[0]);
  expect(termsOf("PostgreSQL")).toContain(termsOf("postgresql")[0]);
  expect(termsOf("OAuth2")).toContain("oauth2");
  expect(termsOf("APIs")).toEqual(termsOf("API"));
});

test("case, accents and ways to write a letter make no difference", () => {
  expect(termsOf("Crème BRÛLÉE")).toEqual(termsOf("creme brulee"));
  expect(termsOf("Straße Ærø Łódź İstanbul")).toEqual(termsOf("strasse aero lodz istanbul"));
  expect(termsOf("ﬁle ｆｕｌｌ")).toEqual(termsOf("file full"));
  expect(termsOf("e\u0301te\u0301")).toEqual(termsOf("été"));
});

test("the forms of an English word meet", () => {
  const families = [
    ["query", "queries", "querying", "queried"],
    ["cache", "caches", "caching", "cached"],
    ["file", "files", "filing", "filed"],
    ["box", "boxes", "boxed", "boxing"],
    ["run", "runs", "running"],
    ["plan", "plans", "planning", "planned"],
    ["plane", "planes"],
    ["movie", "movies"],
    ["user's", "users", "user"],
    ["create", "creates", "creating", "created"],
  ];
  const stems = families.map((family) => new Set(family.flatMap(termsOf)));
  expect(stems.map((found) => found.size)).toEqual(families.map(() => 1));
  expect(new Set(stems.flatMap((found) => [...found])).size).toBe(families.length);
});

test("short words without a vowel before their ending stay whole", () => {
  expect(["string", "thing", "red", "feed", "status", "class"].map(stem)).toEqual([
    "string",
    "thing",
    "red",
    "feed",
    "status",
    "class",
  ]);
});

test("words that stand everywhere are left out, unless there are no others", () => {
  expect(termsOf("what is the port of the server")).toEqual(["port", "server"]);
  expect(termsOf("to be or")).toEqual(["to", "be", "or"]);
  expect(termsOf("get all, not set")).toEqual(["get", "all", "not", "set"]);
});

test("scripts without spaces are found by any two characters in a row", () => {
  expect(termsOf("東京都に住む")).toEqual(expect.arrayContaining(["東京", "京都", "住む"]));
  expect(termsOf("字")).toEqual(["字"]);
  expect(termsOf("使用GitHub账户")).toEqual(expect.arrayContaining(["使用", "github", "账户"]));
});

test("vowel signs of other scripts are no accents", () => {
  expect(fold("हिन्दी")).toBe("हिन्दी");
  expect(termsOf("हिन्दी")).not.toEqual(termsOf("हन्द"));
});

test("a text of any length gives a bounded number of terms", () => {
  expect(termsOf("word ".repeat(MAX_TERMS + 1_000))).toHaveLength(MAX_TERMS);
  expect(termsOf("the ".repeat(MAX_TERMS + 1_000))).toHaveLength(MAX_TERMS);
  expect(termsOf("x".repeat(100_000))[0]!.length).toBeLessThanOrEqual(64);
});

const ALPHABET = [..."abcxyzABCXYZ019 _-.'’éÀßŁİıſΣςйЖ字東한ไहि\u0301\u0307\u200d\ud800🎈ﬁ㎒"];

test("folding twice changes nothing, and terms are never empty, for any text", () => {
  const dice = new Dice(20_261_116);
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: dice.below(40) }, () => dice.one(ALPHABET)).join("");
    expect(fold(fold(text)), JSON.stringify(text)).toBe(fold(text));
    for (const word of wordsOf(text)) expect(word, JSON.stringify(text)).not.toBe("");
    for (const term of termsOf(text)) expect(term.length, JSON.stringify(text)).toBeGreaterThan(0);
  }
});

test("upper case finds what lower case finds, for any words without humps", () => {
  const dice = new Dice(5);
  for (let round = 0; round < 1_000; round++) {
    const text = Array.from({ length: dice.below(30) }, () => dice.one([..."abestinged éßж字 _"])).join("");
    expect(termsOf(text.toUpperCase()), JSON.stringify(text)).toEqual(termsOf(text));
  }
});

test("an analyser that has seen words before gives the same terms", () => {
  const analyser = new Analyser();
  const texts = [
    "listOpenTickets of the user's",
    "to be or",
    "使用GitHub账户",
    "x".repeat(80),
    "the",
    "OAuth2 the",
  ];
  for (const text of [...texts, ...texts]) expect(analyser.termsOf(text)).toEqual(termsOf(text));
});
