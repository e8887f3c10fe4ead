// One size of the benchmark `scale`, in a process of its own: node scale-run.mjs FILE FOLDER-OF-MINISEARCH, prints its figures as JSON.
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { TOOL_FIELDS, toolTexts } from "../../dist/call/search/tool-texts.js";
import { drawnMeanings } from "./drawn-meanings.mjs";
import { agentWith, largeCatalogue } from "./large-catalogue.mjs";
import { manyQueries } from "./many-tools.mjs";
import { median, percentile } from "./measure.mjs";

const LIMIT = 10;
const UPDATES = 15;
/** minisearch takes a second for a query among 100,000 tools. */
const LARGE = 50_000;
const QUERIES_WHERE_LARGE = 40;
const BUILDS = 3;
const AGENTS = 50;

const [file, peer] = process.argv.slice(2);
const { default: MiniSearch } = await import(pathToFileURL(`${peer}/dist/es/index.js`).href);
const large = await largeCatalogue(file);
const { catalog, newRanking } = large;
const count = catalog.all().length;
const queries = manyQueries(large.servers);
const everything = agentWith(["mcp:*"]);
const documents = catalog.all().map(documentOf);

const builds = [];
let ranking;
let mini;
for (let round = 0; round < (count >= LARGE ? 1 : BUILDS); round++) {
  const tools = catalog.visible(everything);
  mini = undefined;
  ranking = newRanking();
  const ownMs = await timed(() => ranking.search("anything", tools, LIMIT));
  mini = new MiniSearch({ fields: TOOL_FIELDS.map(({ name }) => name) });
  const miniMs = await timed(() => mini.addAll(documents));
  builds.push({ ownMs, miniMs });
}
const tools = catalog.visible(everything);
const half = tools.filter((_, at) => at % 2 === 0);
const few = count >= LARGE ? queries.slice(0, QUERIES_WHERE_LARGE) : queries;
const search = (among) => (query) => ranking.search(query, among, LIMIT);
// Both twice: the first time is for the compiler.
await timesOf(queries, search(tools));
await timesOf(queries, search(half));
await timesOf(few.slice(0, QUERIES_WHERE_LARGE), (query) => mini.search(query));
const own = await timesOf(queries, search(tools));
const part = await timesOf(queries, search(half));
const peers = await timesOf(few, (query) => mini.search(query));
mini = undefined;

const meanings = drawnMeanings();
const knowing = newRanking({ meanings });
await knowing.prepare(tools);
await meanings.catchUp();
await timesOf(queries, (query) => knowing.search(query, tools, LIMIT));
const dense = await timesOf(queries, (query) => knowing.search(query, tools, LIMIT));

const page = queries.join(" ").slice(0, 10_000);
const odd = {
  pageMs: median(await timesOf(Array(20).fill(page), search(tools))),
  characterMs: median(await timesOf([..."abcdefghijklmnopqrst"], search(tools))),
  typoMs: median(await timesOf(queries.map(misspelt), search(tools))),
};

console.log(
  JSON.stringify({
    size: count,
    queries: queries.length,
    own: summed(own),
    part: summed(part),
    dense: summed(dense),
    minisearch: summed(peers),
    build: {
      ownMs: median(builds.map(({ ownMs }) => ownMs)),
      minisearchMs: median(builds.map(({ miniMs }) => miniMs)),
    },
    odd,
    update: await updated(),
    during: await duringBuild(),
    catalogue: await catalogueFigures(),
  }),
);

function documentOf(tool) {
  const texts = toolTexts(tool, large.offerers.get(tool.origin));
  return Object.fromEntries([["id", tool.name], ...TOOL_FIELDS.map(({ name }, at) => [name, texts[at]])]);
}

/** From a changed list of ten tools to the answer of the first search that knows them. */
async function updated() {
  const listMs = [];
  const searchMs = [];
  for (let round = 0; round < UPDATES; round++) {
    large.change();
    let list;
    listMs.push(await timed(() => (list = catalog.visible(everything))));
    searchMs.push(await timed(() => ranking.search(queries[round], list, LIMIT)));
  }
  return { listMs: median(listMs), searchMs: median(searchMs) };
}

/** How long everything else waited while an index was built, and a search among a hundred tools meanwhile. */
async function duringBuild() {
  const list = catalog.visible(everything);
  const hundred = list.slice(0, 100);
  const fresh = newRanking();
  let isBuilding = true;
  const building = fresh.search("anything", list, LIMIT).then(() => (isBuilding = false));
  const waits = [];
  const searches = [];
  for (let turn = 0; isBuilding; turn++) {
    waits.push(await timed(() => nextTurn()));
    if (turn % 10 === 5)
      searches.push(await timed(() => fresh.search(queries[turn % queries.length], hundred, LIMIT)));
  }
  await building;
  return { waitMs: median(waits), longestWaitMs: Math.max(...waits), searchMs: median(searches) };
}

/** What the catalogue itself takes after a change, for one agent and for fifty, and to say which name was meant. */
async function catalogueFigures() {
  const agents = Array.from({ length: AGENTS }, (_, at) => agentWith(["mcp:*"], `agt_${at}`));
  large.change();
  const firstListMs = await timed(() => catalog.visible(agents[0]));
  const otherListsMs = await timesOf(agents.slice(1), (agent) => catalog.visible(agent));
  const misnamed = catalog.visible(everything).filter((_, at) => at % Math.ceil(count / 20) === 0);
  const nearestMs = await timesOf(misnamed, ({ name }) => {
    const resolved = catalog.resolve(misspelt(name), everything);
    return resolved.ok || resolved.error.error.message;
  });
  return {
    firstListMs,
    listMs: median(otherListsMs),
    nearestMs: median(nearestMs),
    longestNearestMs: Math.max(...nearestMs),
  };
}

/** Two letters in the middle swapped. */
function misspelt(text) {
  const at = text.length >> 1;
  return `${text.slice(0, at - 1)}${text[at]}${text[at - 1]}${text.slice(at + 1)}`;
}

async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function timesOf(values, work) {
  const times = [];
  for (const value of values) times.push(await timed(() => work(value)));
  return times;
}

function summed(times) {
  return { p50: median(times), p95: percentile(times, 0.95) };
}
