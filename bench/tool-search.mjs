// How often tool_search finds the right tool: public sets of tools and queries, ranked by the very code that serves agents.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
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
  const sets = [];
  for (const folder of folders) sets.push(await measured(folder));
  return { machine: machine(), sets };
}

export function toMarkdown({ skipped, machine, sets }) {
  if (skipped) return `tool-search was left out: ${skipped}`;
  const rows = sets.map((set) => {
    const { ndcg, recall1, recall5, recall10 } = set.quality;
    const percents = [ndcg, recall1, recall5, recall10].map((value) => value.toFixed(1));
    const times = [`${set.p50.toFixed(2)} ms`, `${set.p95.toFixed(2)} ms`, `${set.buildMs.toFixed(0)} ms`];
    const cells = [
      set.name,
      set.use,
      set.tools,
      set.queries,
      ...percents,
      ...times,
      `${set.savedPercent.toFixed(1)} %`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    `${machine}:`,
    "",
    "| set | use | tools | queries | nDCG@10 | Recall@1 | @5 | @10 | p50 | p95 | build | tokens saved |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function publicSets() {
  if (!existsSync(PUBLIC)) return [];
  return readdirSync(PUBLIC).map((name) => join(PUBLIC, name));
}

async function measured(folder) {
  const { ToolRanking } = await import("../dist/catalog/search/tool-ranking.js");
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
  const ranking = new ToolRanking({
    tool: (name) => byName.get(name),
    revision: () => 1,
    offerers: () => offerers,
  });
  const from = performance.now();
  await ranking.search("anything", all, DEPTH);
  const buildMs = performance.now() - from;

  const times = [];
  const qualities = [];
  for (const query of queries) {
    const begin = performance.now();
    const found = await ranking.search(query.query, all, DEPTH);
    times.push(performance.now() - begin);
    qualities.push(
      qualityOf(
        found.map(({ tool }) => tool.name),
        query,
      ),
    );
  }
  const name = basename(folder);
  return {
    name,
    use: TUNE.includes(name) ? "tune" : "report",
    tools: tools.length,
    queries: queries.length,
    quality: meanQuality(qualities),
    p50: median(times),
    p95: percentile(times, 0.95),
    buildMs,
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
