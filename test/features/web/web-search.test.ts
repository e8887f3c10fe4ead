import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { textOf } from "../../support/native.ts";
import { remoteServer } from "../../support/remote-server.ts";
import { testWeb, type WebSetup } from "../../support/web-tools.ts";

type Search = NonNullable<NonNullable<WebSetup["web"]>["search"]>;

/** A provider on the loopback, which nobody allowed but whose address is in the settings. */
async function provider(search: Search, answer: unknown, status = 200) {
  const bodies: string[] = [];
  const listener: RequestListener = async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  };
  const server = await remoteServer(listener);
  const url = server.url.replace("/mcp", search.provider === "searxng" ? "/sub/" : "/api");
  const web = testWeb({ web: { search: { url, ...search } }, secrets: { SEARCH_KEY: "canary-key" } });
  return {
    bodies,
    requests: server.requests,
    web,
    search: (args: Record<string, unknown> = {}) => web.call("web_search", { query: "a b", ...args }),
    async [Symbol.asyncDispose]() {
      await web[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const BRAVE: Search = { provider: "brave", apiKey: "{{secret:SEARCH_KEY}}" };
const TAVILY: Search = { provider: "tavily", apiKey: "{{secret:SEARCH_KEY}}" };
const SEARXNG: Search = { provider: "searxng" };

const found = { title: "T", url: "https://a.test/x", content: "about it", published_date: "2026-01-02" };

test("SearXNG is asked for JSON, and its pages are listed", async () => {
  const results = [found, { title: "U", url: "https://b.test/", content: "" }];
  await using it = await provider(SEARXNG, { query: "a b", results });
  const result = await it.search({ newer_than: "week" });
  expect(it.requests[0]!.url).toBe("/sub/search?q=a+b&format=json&time_range=week");
  expect(textOf(result)).toBe("1. T\n   https://a.test/x\n   about it\n\n2. U\n   https://b.test/");
  expect(result).toMatchObject({
    structured: { results: [{ url: "https://a.test/x", snippet: "about it" }, {}] },
  });
});

test("Brave gets the key of the vault, and its marks are taken out", async () => {
  const page = {
    title: "A &amp; <strong>B</strong>",
    url: "https://a.test/",
    description: "it&#x27;s &lt;b&gt;",
    page_age: "2026-01-02",
  };
  await using it = await provider(BRAVE, { type: "search", web: { results: [page] } });
  expect(textOf(await it.search({ max_results: 5 }))).toBe(
    "1. A & B\n   https://a.test/\n   2026-01-02 – it's <b>",
  );
  expect(it.requests[0]!.url).toBe("/api?q=a+b&count=5");
  expect(it.requests[0]!.headers["x-subscription-token"]).toBe("canary-key");
});

test("Tavily gets the query and the key of the vault", async () => {
  await using it = await provider(TAVILY, { results: [found] });
  expect(textOf(await it.search({ newer_than: "day" }))).toBe(
    "1. T\n   https://a.test/x\n   2026-01-02 – about it",
  );
  expect(it.requests[0]).toMatchObject({ method: "POST", headers: { authorization: "Bearer canary-key" } });
  expect(JSON.parse(it.bodies[0]!)).toEqual({ query: "a b", max_results: 10, time_range: "day" });
});

describe("results", () => {
  test("are bounded, cleaned, and each address once", async () => {
    const results = [
      { title: "x".repeat(5_000), url: "https://a.test/", content: `a\u202e\n b ${"y".repeat(10_000)}` },
      { title: "again", url: "https://a.test/", content: "" },
      { title: "script", url: "javascript:alert(1)", content: "" },
      { title: 7, url: "https://b.test/", content: null },
      { title: "no address" },
      "no object",
      ...Array.from({ length: 100 }, (_, index) => ({ title: "more", url: `https://c.test/${index}` })),
    ];
    await using it = await provider({ ...SEARXNG, maxResults: 4 }, { results });
    const result = await it.search({ max_results: 50 });
    const hits = (
      result as unknown as { structured: { results: { url: string; title: string; snippet: string }[] } }
    ).structured.results;
    expect(hits.map(({ url }) => url)).toEqual([
      "https://a.test/",
      "https://b.test/",
      "https://c.test/0",
      "https://c.test/1",
    ]);
    expect(hits[0]!.title).toHaveLength(201);
    expect(hits[0]!.snippet).toMatch(/^a b y{100}/);
    expect(hits[0]!.snippet).toHaveLength(601);
    expect(hits[1]).toMatchObject({ title: "https://b.test/", snippet: "" });
  });

  test.each([
    [SEARXNG, { results: [] }],
    [BRAVE, { type: "search" }],
    [TAVILY, { results: [] }],
  ])("may be none (%j)", async (search, answer) => {
    await using it = await provider(search, answer);
    expect(await it.search()).toMatchObject({ kind: "output", structured: { results: [] } });
  });

  test.each([
    [SEARXNG, { error: "x" }],
    [BRAVE, []],
    [TAVILY, null],
  ])("are asked of somebody who does not search (%j)", async (search, answer) => {
    await using it = await provider(search, answer);
    expect(textOf(await it.search())).toContain("did not answer with search results");
  });
});

test.each([
  [SEARXNG, 403, "add json to search.formats"],
  [BRAVE, 401, "did not accept the key (401). A person should check web.search.api_key"],
  [TAVILY, 432, "the key's limit is reached"],
  [BRAVE, 429, "refuses more searches for now"],
  [TAVILY, 500, "Tavily answered 500. Try again later"],
])("a provider that says no is explained (%j, %i)", async (search, status, why) => {
  await using it = await provider(search, {}, status);
  const result = await it.search();
  expect(result.kind).toBe("failed");
  expect(textOf(result)).toContain(why);
});

describe("a search that is not set up", () => {
  test.each([
    [{}, "a person has to choose a provider (web.search.provider: searxng, brave or tavily"],
    [{ provider: "searxng" }, "SearXNG needs its address in web.search.url"],
    [{ provider: "brave" }, "brave needs a key in web.search.api_key"],
    [{ provider: "tavily", apiKey: "{{secret:MISSING}}" }, "the secret MISSING, which is not in the vault"],
  ] as const)("says what is missing, before and at a call (%j)", async (search, why) => {
    await using web = testWeb({ web: { search } });
    const tool = web.tools.find(({ name }) => name === "web_search")!;
    expect(tool.status()).toEqual({ kind: "unavailable", reason: expect.stringContaining(why) });
    const result = await web.call("web_search", { query: "x" });
    expect(result).toEqual({ kind: "unavailable", message: expect.stringContaining(why) });
  });
});

test("a key that stands in the settings is never shown", async () => {
  await using it = await provider({ provider: "brave", apiKey: "plain-key" }, { type: "search" });
  await it.search();
  expect(it.requests[0]!.headers["x-subscription-token"]).toBe("plain-key");
  expect(it.web.concealed).toEqual(["plain-key"]);
});

test("the key is not sent on to where a provider redirects", async () => {
  await using other = await remoteServer((_, response) => response.end("{}"));
  const elsewhere = other.url.replace("127.0.0.1", "127.0.0.2");
  await using server = await remoteServer((_, response) =>
    response.writeHead(302, { location: elsewhere }).end(),
  );
  await using web = testWeb({
    web: { search: { ...BRAVE, url: server.url } },
    secrets: { SEARCH_KEY: "canary" },
  });
  const result = await web.call("web_search", { query: "x" });
  expect(textOf(result)).toContain("127.0.0.2 may not be reached");
  expect(other.requests).toEqual([]);
});

test("only the search may reach the provider's address", async () => {
  await using it = await provider(SEARXNG, { results: [] });
  await it.search();
  const { host } = it.requests[0]!.headers;
  expect(textOf(await it.web.call("browse_url", { url: `http://${host}/` }))).toContain("may not be reached");
});
