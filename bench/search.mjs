// How well a search of documents finds what was judged relevant: public sets through the very index and search that serve people, beside FTS5.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chunkBlocks } from "../dist/features/knowledge/chunks/chunk-blocks.js";
import { openIndex } from "../dist/features/knowledge/index/open-index.js";
import { KnowledgeIndex } from "../dist/features/knowledge/knowledge-index.js";
import { parsePlainText } from "../dist/features/knowledge/parse/plain-text.js";
import { parseQuery } from "../dist/features/knowledge/search/query.js";
import { QueryMeanings } from "../dist/features/knowledge/search/query-meanings.js";
import { Searcher } from "../dist/features/knowledge/search/searcher.js";
import { LocalEmbedder } from "../dist/machine/text/meaning/minilm/local-embedder.js";
import { baselineIndex } from "./support/fts5.mjs";
import { machine } from "./support/measure.mjs";
import { benchPostgres } from "./support/postgres.mjs";
import { meanOf, qualityOf, readSet } from "./support/retrieval-quality.mjs";

const PUBLIC = fileURLToPath(new URL("../../shared/bench/search/", import.meta.url));
/** The set on which parameters were chosen; figures count on the others. */
const TUNE = ["cranfield"];
const DEPTH = 100;
/** nDCG@10 and Recall@100 as ../shared/bench/search/README.md has them; a set that is not here is compared with the FTS5 of the same run. */
const BASELINES = {
  cranfield: {
    "FTS5 porter, OR of words, title weighed double": [0.362, 0.73],
    "FTS5 unicode61, OR": [0.332, 0.695],
    "FTS5 trigram, OR": [0.327, 0.701],
    "FTS5, AND of all words": [0.012, 0.011],
    "minisearch defaults": [0.283, 0.648],
    "plain BM25 in JavaScript": [0.362, 0.733],
    "dense only, USE-lite": [0.189, 0.492],
    "BM25 + USE-lite, weighted sum": [0.368, 0.732],
    "BM25 + USE-lite, reciprocal rank fusion": [0.306, 0.709],
  },
  med: {
    "FTS5 porter, OR of words, title weighed double": [0.705, 0.798],
    "FTS5 unicode61, OR": [0.686, 0.791],
    "FTS5 trigram, OR": [0.713, 0.814],
    "FTS5, AND of all words": [0.038, 0.013],
    "minisearch defaults": [0.636, 0.709],
    "plain BM25 in JavaScript": [0.693, 0.795],
    "dense only, USE-lite": [0.467, 0.625],
    "BM25 + USE-lite, weighted sum": [0.711, 0.831],
    "BM25 + USE-lite, reciprocal rank fusion": [0.642, 0.828],
  },
};
const FTS5 = "FTS5 porter, OR of words, title weighed double";
const SOURCES = new Map([["bench", "bench"]]);

export async function bench({ data, postgres }) {
  const folders = data ? [data] : publicSets();
  if (folders.length === 0) return { skipped: "there is no ../shared/bench/search beside this repository" };
  const scratch = mkdtempSync(join(tmpdir(), "toolkeep-bench-"));
  const server = postgres ? await benchPostgres() : undefined;
  const embedder = new LocalEmbedder({ folder: join(scratch, "models"), log: console });
  // The embedder's thread keeps no process alive, and here there is nothing else to do meanwhile.
  const alive = setInterval(() => undefined, 1_000);
  try {
    const hasModel = (await embedder.embed(["anything"])) !== undefined;
    const sets = [];
    for (const folder of folders) {
      const set = readSet(folder);
      const place = {
        home: join(scratch, set.name),
        databaseUrl: server ? await server.schema(set.name) : null,
      };
      sets.push(await measured(set, place, hasModel ? embedder : undefined));
    }
    const withoutMeaning = hasModel ? undefined : embedder.state.reason;
    const database = server ? "PostgreSQL" : "SQLite";
    return { machine: machine(), database, sets, ...(withoutMeaning && { withoutMeaning }) };
  } finally {
    await embedder.close();
    clearInterval(alive);
    await server?.stop();
    rmSync(scratch, { recursive: true });
  }
}

/** On every set the hybrid above all baselines, words alone not below FTS5; that the hybrid could not be measured counts, too. */
export function missed({ sets = [], withoutMeaning }, { "without-meaning": mayLack } = {}) {
  const misses = sets.flatMap(({ name, ways }) => {
    const figures = (by) => ways.find((way) => way.by === by);
    const measured = figures("FTS5, bare");
    const baselines = {
      ...BASELINES[name],
      "FTS5 of this run": [measured.ndcg, measured.recall],
    };
    return ["ndcg", "recall"].flatMap((key, at) => {
      const [words, hybrid] = [figures("words")[key], figures("hybrid")?.[key]];
      const fts5 = Math.max(measured[key], baselines[FTS5]?.[at] ?? 0);
      const above = Object.entries(baselines).filter(
        ([, bars]) => hybrid !== undefined && hybrid <= bars[at],
      );
      return [
        ...(words < fts5
          ? [`${name}: by words ${key} is ${words.toFixed(3)}, below FTS5's ${fts5.toFixed(3)}`]
          : []),
        ...above.map(
          ([by, bars]) =>
            `${name}: hybrid ${key} is ${hybrid.toFixed(3)}, not above the ${bars[at].toFixed(3)} of ${by}`,
        ),
      ];
    });
  });
  const isLacking = withoutMeaning !== undefined && !mayLack;
  return [
    ...misses,
    ...(isLacking
      ? [`the hybrid was not measured: ${withoutMeaning}; --without-meaning says that this is meant`]
      : []),
  ];
}

export function toMarkdown({ skipped, machine, database, sets, withoutMeaning }) {
  if (skipped) return `search was left out: ${skipped}`;
  const rows = sets.flatMap(({ name, use, documents, chunks, queries, ways }) =>
    ways.map(({ by, ndcg, recall }) => {
      const cells = [name, use, documents, chunks, queries, by, ndcg.toFixed(3), recall.toFixed(3)];
      return `| ${cells.join(" | ")} |`;
    }),
  );
  return [
    `${machine}; index on ${database}:`,
    "",
    "| set | use | documents | passages | queries | by | nDCG@10 | Recall@100 |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
    ...(withoutMeaning ? ["", `Meaning was left out: ${withoutMeaning}`] : []),
  ].join("\n");
}

function publicSets() {
  if (!existsSync(PUBLIC)) return [];
  const folders = readdirSync(PUBLIC).map((name) => join(PUBLIC, name));
  return folders.filter((folder) => statSync(folder).isDirectory());
}

async function measured(set, place, embedder) {
  const { name, documents, queries } = set;
  const chunks = await fill(documents, place, embedder);
  const baseline = await baselineIndex(documents);
  const index = await openIndex({ ...place, clock: Date.now });
  try {
    const searcher = new Searcher(index.reader);
    await searcher.counts();
    const keys = await keysOf(index.reader);
    const meanings = embedder && new QueryMeanings({ embedder, isOn: () => true, waitMs: 60_000 });
    const ways = [
      {
        by: "FTS5, bare",
        ...meanOf(queries.map((query) => qualityOf(baseline.search(query.text, DEPTH), query.grades))),
      },
    ];
    ways.push({ by: "words", ...(await way(queries, searcher, keys)) });
    if (meanings) {
      ways.push({ by: "meaning", ...(await way(queries, searcher, keys, meanings, true)) });
      ways.push({ by: "hybrid", ...(await way(queries, searcher, keys, meanings)) });
    }
    const use = TUNE.includes(name) ? "tune" : "report";
    return { name, use, documents: documents.length, chunks, queries: queries.length, ways };
  } finally {
    await index.close();
    baseline.close();
  }
}

/** Through the threads, as a sync would. */
async function fill(documents, place, embedder) {
  const knowledge = new KnowledgeIndex({
    ...place,
    sources: async () => [],
    embedder: embedder ?? { state: { kind: "unavailable", reason: "left out" } },
    isMeaningOn: () => embedder !== undefined,
    lead: (_job, work, signal) => work(signal),
    log: console,
  });
  try {
    const entities = documents.map(entityOf);
    for (let from = 0; from < entities.length; from += 200)
      await knowledge.writer.write(entities.slice(from, from + 200), Date.now());
    await knowledge.embedding.rest();
    return entities.reduce((sum, { chunks }) => sum + chunks.length, 0);
  } finally {
    await knowledge.close();
  }
}

function entityOf({ _id, title, text }) {
  const parsed = parsePlainText(text);
  return {
    ...{ sourceId: "bench", key: String(_id), title: title ?? "", type: "text", tags: [], uri: "" },
    ...{ documentAt: 0, metadata: {}, modifiedAt: 0, size: text.length, hash: "" },
    chunks: chunkBlocks(parsed.text, parsed.blocks),
  };
}

async function keysOf(reader) {
  const keys = new Map();
  for (let after = { revision: 0, no: 0 }; ; ) {
    const changes = await reader.changedEntities(after, 1_000);
    if (changes.length === 0) return keys;
    for (const { id, key } of await reader.entities(changes.map(({ no }) => no))) keys.set(id, key);
    after = changes.at(-1);
  }
}

async function way(queries, searcher, keys, meanings, byMeaningAlone = false) {
  const qualities = [];
  for (const { text, grades } of queries) {
    const query = parseQuery(text);
    const meaning = await meanings?.ofQuery(query);
    const { results } = await searcher.find({
      query,
      sources: SOURCES,
      limit: DEPTH,
      meaning,
      byMeaningAlone,
    });
    qualities.push(
      qualityOf(
        results.map(({ id }) => keys.get(id)),
        grades,
      ),
    );
  }
  return meanOf(qualities);
}
