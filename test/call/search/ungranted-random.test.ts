import { describe, expect, it } from "vitest";
import { listToolsTool } from "../../../src/call/catalog/list-tools.ts";
import { makeListing } from "../../../src/call/conversation/listing.ts";
import { promptSection } from "../../../src/call/conversation/prompt-section.ts";
import { groupTools } from "../../../src/call/search/tool-groups.ts";
import { ToolRanking } from "../../../src/call/search/tool-ranking.ts";
import { toolSearchTool } from "../../../src/call/search/tool-search.ts";
import type { Caller } from "../../../src/contract/caller.ts";
import type { Tool, ToolContext } from "../../../src/contract/tool.ts";
import { Meanings } from "../../../src/machine/text/meaning/meanings.ts";
import { Dice } from "../../support/dice.ts";
import { FakeEmbedder } from "../../support/fake-embedder.ts";
import { type Guarded, givenAway, guarded, mayHave } from "../../support/forbidden.ts";
import { tempStore } from "../../support/temp-store.ts";
import { openCatalog } from "../../support/test-catalog.ts";
import { TestSource } from "../../support/tools.ts";

const ROUNDS = 25;
const CALLERS = 8;
const SUBJECTS = ["mail letter", "files folder", "issues bug", "calendar", "weather rain", "invoices"];
const QUERIES = [
  "mail",
  "files of the calendar",
  "rain",
  "read",
  "list all",
  "works with invoces",
  "x",
  "天气",
];
const LIMITS = { isEnabled: true, maxMatches: 50, maxChars: 100_000 };

interface Case {
  readonly seed: string;
  readonly random: Guarded;
  readonly caller: Caller;
  readonly catalog: Awaited<ReturnType<typeof openCatalog>>;
  readonly ranking: ToolRanking;
  readonly known: Meanings;
  /** What the caller may know of, sorted by name; and the names and words of the rest. */
  readonly own: readonly Tool[];
  readonly secrets: readonly string[];
}

/**
 * Calls `check` for many callers of many catalogues, with the seed that reproduces each. They share one ranking and one
 * catalogue.
 */
async function each(check: (given: Case) => Promise<void>): Promise<void> {
  await using temp = await tempStore();
  const source = new TestSource([]);
  let denied: ReadonlySet<string> = new Set();
  const catalog = await openCatalog({
    sources: [source],
    store: temp.store,
    isHidden: ({ name }) => denied.has(name),
    ruledConversation: () => null,
  });
  const known = meanings();
  const ranking = rankingOf(
    (name) => catalog.get(name),
    () => catalog.revision,
    known,
  );
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const random = guarded(new Dice(seed));
    denied = random.denied;
    source.replace(random.tools);
    for (const [name, tools] of Object.entries(random.toolboxes)) {
      if (catalog.toolboxes.byName.has(name)) await catalog.toolboxes.update(name, { tools });
      else await catalog.toolboxes.create(name, { tools });
    }
    for (let at = 0; at < CALLERS; at++) {
      const caller = random.caller();
      const own = random.tools
        .filter((tool) => mayHave(tool, caller, random) && !denied.has(tool.name) && isPresent(tool))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const others = random.tools.filter((tool) => !own.includes(tool));
      const secrets = others.flatMap((tool) => [tool.name, random.wordOf(tool)]);
      await check({
        seed: `seed ${seed}, caller ${at}`,
        random,
        caller,
        catalog,
        ranking,
        known,
        own,
        secrets,
      });
    }
  }
  catalog.close();
}

function isPresent(tool: Tool): boolean {
  return ["active", "unavailable"].includes(tool.status().kind);
}

function meanings(): Meanings {
  return new Meanings({ isOn: () => true, embedder: new FakeEmbedder(SUBJECTS) });
}

function rankingOf(tool: (name: string) => Tool | undefined, revision: () => number, known: Meanings) {
  return new ToolRanking({ tool, revision, offerers: () => new Map(), meanings: known });
}

/** What a tool answers a caller: text and data together. */
async function answer(tool: Tool, args: Readonly<Record<string, unknown>>, caller: Caller) {
  const result = await tool.run(args, { caller, signal: new AbortController().signal } as ToolContext);
  if (result.kind !== "output") throw new Error(`${tool.name} answered ${JSON.stringify(result)}`);
  const [{ text }] = result.content as unknown as [{ text: string }];
  return { text, all: text + JSON.stringify(result.structured), structured: result.structured! };
}

function searchTool({ catalog, ranking }: Case, found: Tool[] = []): Tool {
  return toolSearchTool({
    catalog: () => catalog,
    ranking,
    usage: { noteSearch: () => {}, lift: async () => undefined },
    addToList: async (_, tools) => {
      found.push(...tools);
      return [];
    },
    limits: () => LIMITS,
  });
}

const names = (tools: Iterable<Tool>) => [...tools].map(({ name }) => name);

describe("what a caller may not know of, for random catalogues, toolboxes, grants, scopes, contexts, states and rules", () => {
  it("is in no answer of tool_search, whatever is asked, and never activated", async () => {
    await each(async (given) => {
      const { seed, random, caller, own, secrets } = given;
      const found: Tool[] = [];
      const search = searchTool(given, found);
      for (const query of [
        ...QUERIES,
        ...names(random.tools)
          .slice(0, 4)
          .map((name) => name.slice(0, -1)),
      ]) {
        const { all } = await answer(search, { query, max_results: 50 }, caller);
        expect(givenAway(all, secrets), `${seed}: ${query}`).toEqual([]);
      }
      for (const tool of random.tools) {
        // Its own words and its name: an answer may repeat the query, and nothing else.
        const word = random.wordOf(tool);
        const isOwn = own.includes(tool);
        const byWord = await answer(search, { query: word, max_results: 50 }, caller);
        expect(givenAway(byWord.all, [tool.name]), `${seed}: ${word}`).toEqual(isOwn ? [tool.name] : []);
        const selected = await answer(search, { query: `select:${tool.name}` }, caller);
        expect(givenAway(selected.all, [word]), `${seed}: ${tool.name}`).toEqual(isOwn ? [word] : []);
        const suffix = await answer(search, { query: `select:${tool.ownName}` }, caller);
        expect(
          givenAway(
            suffix.all,
            secrets.filter((secret) => secret !== tool.ownName),
          ),
          seed,
        ).toEqual([]);
      }
      expect(
        found.filter((tool) => !own.includes(tool)),
        seed,
      ).toEqual([]);
    });
  });

  it("is not counted where nothing fits", async () => {
    await each(async (given) => {
      const { seed, caller, own, secrets } = given;
      const { text } = await answer(searchTool(given), { query: "?" }, caller);
      const counts = [...text.matchAll(/^- (.+) \((\d+)\): /gm)].map(([, name, count]) => [
        name,
        Number(count),
      ]);
      expect(counts, seed).toEqual(groupTools(own).map(({ name, tools }) => [name, tools.length]));
      expect(givenAway(text, secrets), seed).toEqual([]);
    });
  });

  it("is in no list of list_tools that says what the caller has, nor in its counts", async () => {
    await each(async ({ seed, caller, catalog, own, secrets }) => {
      const list = listToolsTool({ catalog: () => catalog, maxDescription: () => 500 });
      const { all, structured } = await answer(list, { limit: 200 }, caller);
      expect(structured, seed).toMatchObject({ total: own.length });
      expect(givenAway(all, secrets), seed).toEqual([]);
      const some = await answer(list, { query: "mail" }, caller);
      expect(some.structured, seed).toMatchObject({
        total: own.filter(({ name, description }) => `${name} ${description}`.includes("mail")).length,
      });
    });
  });

  it("changes no score: the ranking is that of an index of what the caller has", async () => {
    await each(async ({ seed, caller, catalog, ranking, known, own }) => {
      const alone = meanings();
      const byName = new Map(own.map((tool) => [tool.name, tool]));
      const only = rankingOf(
        (name) => byName.get(name),
        () => 1,
        alone,
      );
      const visible = catalog.visible(caller);
      await Promise.all([ranking.prepare(visible), only.prepare(own)]);
      await Promise.all([known.catchUp(), alone.catchUp()]);
      for (const query of QUERIES) {
        const ranked = await ranking.search(query, visible, 50);
        const expected = await only.search(query, own, 50);
        expect(
          ranked.map(({ tool, score }) => [tool.name, score]),
          `${seed}: ${query}`,
        ).toEqual(expected.map(({ tool, score }) => [tool.name, score]));
      }
    });
  });

  it("is neither listed nor announced, not even where a conversation activated it before", async () => {
    await each(async ({ seed, random, caller, catalog, own, secrets }) => {
      const activated = new Map(random.tools.map(({ name }, at) => [name, at]));
      const search = { ...random.tools[0]!, name: "tool_search", description: "Finds.", floor: true };
      const visible = [...catalog.visible(caller), search];
      for (const [mode, before] of [
        [true, activated],
        [true, new Map<string, number>()],
        [false, activated],
      ] as const) {
        const limits = { mode, threshold: 0, eager: ["mcp_*"], maxTools: 5 };
        const listing = makeListing(
          visible,
          before,
          { named: catalog.namedGrants(caller), pins: [...activated.keys()] },
          limits,
        );
        const shown = [...listing.tools, ...listing.deferred];
        expect(names(shown).sort(), seed).toEqual([...names(own), "tool_search"].sort());
        const text = promptSection(listing, { aboutServer: () => undefined, maxDescription: 200 });
        const descriptions = listing.tools.map(({ description }) => description).join(" ");
        expect(givenAway(text + descriptions + names(listing.retired).join(" "), secrets), seed).toEqual([]);
        const [, count] = /You can use (\d+) more tool/.exec(text) ?? [];
        expect(Number(count ?? 0), seed).toBe(listing.deferred.length);
      }
    });
  });

  it("is suggested to nobody who mistypes a name", async () => {
    await each(async ({ seed, random, caller, catalog, secrets }) => {
      for (const { name } of random.tools) {
        for (const wrong of [`${name}x`, name.slice(0, -1), name.replace("_", "__")]) {
          const resolved = catalog.resolve(wrong, caller);
          if (resolved.ok || resolved.error.outcome !== "unknown_tool") continue;
          const { message, remedy, details } = resolved.error.error;
          const said = JSON.stringify([message.replace(JSON.stringify(wrong), ""), remedy, details]);
          expect(givenAway(said, secrets), `${seed}: ${wrong}`).toEqual([]);
        }
      }
    });
  });
});
