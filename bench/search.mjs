// How well a search of documents finds what was judged relevant: public sets through the very index and search that serve people, beside FTS5.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chunkBlocks } from "../dist/knowledge/chunks/chunk-blocks.js";
import { createKnowledge } from "../dist/knowledge/create-knowledge.js";
import { parsePlainText } from "../dist/knowledge/parse/plain-text.js";
import { parseQuery } from "../dist/knowledge/search/query.js";
import { QueryMeanings } from "../dist/knowledge/search/query-meanings.js";
import { Searcher } from "../dist/knowledge/search/searcher.js";
import { openIndex } from "../dist/store/knowledge/open-index.js";
import { LocalEmbedder } from "../dist/text/minilm/local-embedder.js";
import { baselineIndex } from "./support/fts5.mjs";
import { machine } from "./support/measure.mjs";
import { benchPostgres } from "./support/postgres.mjs";
import { meanOf, qualityOf, readSet } from "./support/retrieval-quality.mjs";

const PUBLIC = fileURLToPath(new URL("../../shared/bench/search/", import.meta.url));
/** The set on which parameters were chosen; figures count on the others. */
const TUNE = ["cranfield"];
const DEPTH = 100;
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

/** Hybrid above words alone and above FTS5, words alone not below FTS5: on every set. */
export function missed({ sets = [] }) {
  return sets.flatMap(({ name, ways }) => {
    const [fts5, words, , both] = ways;
    const misses = [];
    for (const key of ["ndcg", "recall"]) {
      if (words[key] < fts5[key]) misses.push(`${name}: by words ${key} is below that of FTS5`);
      if (both && both[key] <= fts5[key]) misses.push(`${name}: hybrid ${key} is not above that of FTS5`);
    }
    return misses;
  });
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
  const knowledge = createKnowledge({
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
