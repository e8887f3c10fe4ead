import { expect, test } from "vitest";
import type { SearchResult } from "../../../../src/features/knowledge/contract.ts";
import type { SearchRequest } from "../../../../src/features/knowledge/knowledge.ts";
import {
  MAX_BY_FILTERS,
  MAX_SHOWN,
  SearchBudget,
} from "../../../../src/features/knowledge/tools/search-budget.ts";
import { createSearchTools } from "../../../../src/features/knowledge/tools/search-tools.ts";

const DAY = 86_400_000;
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `doc ${from + at}`);

test("filters alone show an agent so many different documents in a day, words still find", () => {
  let now = 10 * DAY;
  const budget = new SearchBudget(() => now);
  budget.note("ada", true, ids(0, MAX_BY_FILTERS - 1));
  budget.note("ada", true, ids(0, MAX_BY_FILTERS - 1));
  expect(budget.refusal("ada", true)).toBeUndefined();
  budget.note("ada", true, ids(MAX_BY_FILTERS, 1));
  expect(budget.refusal("ada", true)).toContain("Add words");
  expect(budget.refusal("ada", false)).toBeUndefined();
  expect(budget.refusal("bob", true)).toBeUndefined();
  now += DAY;
  expect(budget.refusal("ada", true)).toBeUndefined();
});

test("all searches of a day together show a bounded number of documents", () => {
  const budget = new SearchBudget(() => 0);
  budget.note("ada", false, ids(0, MAX_SHOWN + 10));
  expect(budget.refusal("ada", false)).toContain("tomorrow");
});

test("an agent that walks from date to date is stopped, and a person is not", async () => {
  let asked = 0;
  const results = (): SearchResult[] =>
    ids(100 * asked++, 100).map((id) => ({
      ...{ kind: "entity", id, title: id, type: "text", source: "notes", uri: "", tags: [], score: 0 },
      ...{ documentAt: 0, chunks: [] },
    }));
  const [search] = createSearchTools({
    reader: {
      search: async (_request: SearchRequest) => ({ results: results(), mode: "lexical", notes: [] }),
    } as never,
    reachOf: () => ({ own: "ada", read: [], write: [], access: { labels: null }, by: "ada" }),
    clock: () => 0,
    ...({} as { sync: never; inbox: never }),
  });
  const walk = async (operator: boolean) => {
    for (let step = 0; step < 10; step++) {
      const query = `before:2026-01-${10 + step}`;
      const result = await search!.run({ query, limit: 100 }, {
        caller: { operator, scopes: null },
        signal: new AbortController().signal,
      } as never);
      if (JSON.stringify(result).includes("Add words")) return step;
    }
    return undefined;
  };
  expect(await walk(true)).toBeUndefined();
  expect(await walk(false)).toBe(MAX_BY_FILTERS / 100);
});
