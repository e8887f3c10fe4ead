// How often tool_search finds the right tool: public sets of tools and queries, ranked by the very code that serves agents.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolRanking } from "../dist/call/search/tool-ranking.js";
import { Meanings } from "../dist/machine/text/meaning/meanings.js";
import { LocalEmbedder } from "../dist/machine/text/meaning/minilm/local-embedder.js";
import { machine, median, percentile } from "./support/measure.mjs";
import { meanQuality, qualityOf } from "./support/ranked-quality.mjs";

const PUBLIC = fileURLToPath(new URL("../../shared/bench/tool-search/", import.meta.url));
/** The sets on which parameters were chosen; figures count on the others. */
const TUNE = ["livemcpbench-agentq", "mcpzero"];
const DEPTH = 10;
/** About as many characters are one token of a schema. */
const CHARS_PER_TOKEN = 4;

export async function bench({ data }) {
  const folders = data ? [data] : publicSets();
  if (folders.length === 0)
    return { skipped: "there is no ../shared/bench/tool-search beside this repository" };
  const scratch = mkdtempSync(join(tmpdir(), "toolkeep-bench-"));
  const embedder = new LocalEmbedder({ folder: scratch, log: console });
  // The embedder's thread keeps no process alive, and here there is nothing else to do meanwhile.
  const alive = setInterval(() => undefined, 1_000);
  try {
    const hasModel = (await embedder.embed(["anything"])) !== undefined;
    const sets = [];
    for (const folder of folders) sets.push(await measured(folder, hasModel ? embedder : undefined));
    const withoutMeaning = hasModel ? undefined : embedder.state.reason;
    return { machine: machine(), sets, ...(withoutMeaning && { withoutMeaning }) };
  } finally {
    await embedder.close();
    clearInterval(alive);
    rmSync(scratch, { recursive: true });
  }
}

export function toMarkdown({ skipped, machine, sets, withoutMeaning }) {
  if (skipped) return `tool-search was left out: ${skipped}`;
  const rows = sets.flatMap((set) => set.ways.map((way) => rowOf(set, way)));
  const means = Object.keys(MEANS).flatMap((use) => meansOf(sets, use));
  return [
    `${machine}:`,
    "",
    "| set | use | tools | queries | by | nDCG@10 | Recall@1 | @5 | @10 | p50 | p95 | query read p50 | p95 | build | memory | tokens saved |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
    ...means,
    ...(withoutMeaning ? [`Meaning was left out: ${withoutMeaning}`] : []),
  ].join("\n");
}

function rowOf(set, way) {
  const { ndcg, recall1, recall5, recall10 } = way.quality;
  const percents = [ndcg, recall1, recall5, recall10].map((value) => value.toFixed(1));
  const ms = (value) => (value === undefined ? "" : `${value.toFixed(2)} ms`);
  const times = [way.p50, way.p95, way.queryReadP50, way.queryReadP95].map(ms);
  const cells = [
    ...[set.name, set.use, set.tools, set.queries, way.by, ...percents, ...times],
    `${way.buildMs.toFixed(0)} ms`,
    `${way.memoryMb.toFixed(0)} MB`,
    `${way.savedPercent.toFixed(1)} %`,
  ];
  return `| ${cells.join(" | ")} |`;
}

const MEANS = { report: "the report sets", tune: "the tune sets" };

/** What all sets of a use come to, one line for each way; none where there is just one set. */
function meansOf(sets, use) {
  const those = sets.filter((set) => set.use === use);
  if (those.length < 2) return [];
  return those[0].ways.map(({ by }, way) => {
    const mean = (key) => those.reduce((sum, set) => sum + set.ways[way].quality[key], 0) / those.length;
    return `Mean of ${MEANS[use]} by ${by}: nDCG@10 ${mean("ndcg").toFixed(1)}, Recall@5 ${mean("recall5").toFixed(1)}`;
  });
}

function publicSets() {
  if (!existsSync(PUBLIC)) return [];
  return readdirSync(PUBLIC).map((name) => join(PUBLIC, name));
}

/** Ranked by words alone and, where there is an embedder, by words and meaning. */
async function measured(folder, embedder) {
  const tools = linesOf(join(folder, "tools.jsonl"));
  const queries = linesOf(join(folder, "queries.jsonl"));
  const offerers = new Map(
    tools.map(({ server = "", serverDescription = "" }) => [
      server,
      { name: server, about: serverDescription },
    ]),
  );
  const all = tools.map(({ id, server = "", name, description = "", inputSchema = {} }) => {
    return { name: id, ownName: name, origin: server, description, inputSchema };
  });
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  const deps = { tool: (name) => byName.get(name), revision: () => 1, offerers: () => offerers };
  const name = basename(folder);
  const ways = [await way("words", deps, all, queries)];
  if (embedder) {
    const meanings = new Meanings({ isOn: () => true, embedder, waitMs: 60_000 });
    ways.push(await way("words and meaning", { ...deps, meanings }, all, queries));
    await meanings.close();
  }
  return {
    name,
    use: TUNE.includes(name) ? "tune" : "report",
    tools: tools.length,
    queries: queries.length,
    ways,
  };
}

async function way(by, deps, all, queries) {
  const ranking = new ToolRanking(deps);
  const from = performance.now();
  await ranking.prepare(all);
  await deps.meanings?.catchUp();
  const buildMs = performance.now() - from;
  await ranking.search("anything", all, DEPTH);

  const times = [];
  const reading = [];
  const qualities = [];
  for (const query of queries) {
    const read = performance.now();
    await deps.meanings?.ofQuery(query.query);
    const begin = performance.now();
    const found = await ranking.search(query.query, all, DEPTH);
    times.push(performance.now() - begin);
    reading.push(begin - read);
    qualities.push(
      qualityOf(
        found.map(({ tool }) => tool.name),
        query,
      ),
    );
  }
  return {
    by,
    quality: meanQuality(qualities),
    p50: median(times),
    p95: percentile(times, 0.95),
    ...(deps.meanings && { queryReadP50: median(reading), queryReadP95: percentile(reading, 0.95) }),
    buildMs,
    memoryMb: process.memoryUsage().rss / 2 ** 20,
    savedPercent: await saved(all, queries, ranking),
  };
}

/** What five schemas in the place of all of them save, of the tokens of all; the median of the queries. */
async function saved(all, queries, ranking) {
  const tokensOf = (tools) =>
    tools.reduce((sum, { name, description, inputSchema }) => {
      return sum + JSON.stringify({ name, description, inputSchema }).length / CHARS_PER_TOKEN;
    }, 0);
  const whole = tokensOf(all);
  const shares = [];
  for (const { query } of queries.slice(0, 200)) {
    const found = await ranking.search(query, all, 5);
    shares.push(100 * (1 - tokensOf(found.map(({ tool }) => tool)) / whole));
  }
  return median(shares);
}

function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
