// What a search takes at 100,000 passages beside a bare FTS5 query of the same words, one after the other in one process.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openIndex } from "../dist/features/knowledge/index/open-index.js";
import { knowledgeWriter } from "../dist/features/knowledge/indexing/knowledge-writer.js";
import { parseQuery } from "../dist/features/knowledge/search/query.js";
import { CANDIDATES } from "../dist/features/knowledge/search/ranking.js";
import { Searcher } from "../dist/features/knowledge/search/searcher.js";
import { VectorMirror } from "../dist/features/knowledge/search/vector-mirror.js";
import { BestHits } from "../dist/machine/text/index/best-hits.js";
import { cosine } from "../dist/machine/text/meaning/direction.js";
import { baselineIndex } from "./support/fts5.mjs";
import { generatedDocuments, generatedQueries, generatedVectors } from "./support/generated-documents.mjs";
import { machine, median, percentile } from "./support/measure.mjs";
import { benchPostgres } from "./support/postgres.mjs";

const CHUNKS = 100_000;
const QUERIES = 60;
const ROUNDS = 3;
const MODEL = "generated";
const DIMENSIONS = 384;
const SOURCES = new Map([["bench", "bench"]]);
/** At most so many times what a bare FTS5 query takes, at the median. */
const BARS = { words: 1.3, hybrid: 2 };
/** Of the nearest by all their numbers so many have to be among those that codes find. */
const LEAST_RECALL = 0.99;
const NEAREST = 100;
const RECALL_QUERIES = 20;

export async function bench({ chunks: given, postgres }) {
  const count = given === undefined ? CHUNKS : Number(given);
  const scratch = mkdtempSync(join(tmpdir(), "toolkeep-bench-"));
  const server = postgres ? await benchPostgres() : undefined;
  try {
    const place = { home: scratch, databaseUrl: server ? await server.schema("speed") : null };
    const before = process.memoryUsage().rss;
    const index = await openIndex({ ...place, clock: Date.now });
    const writing = await fill(index, generatedDocuments(count));
    const baseline = await baselineIndex(passages(generatedDocuments(count)), join(scratch, "fts5.db"));
    const recall = await codesRecall(index.reader);
    const beforeSearching = process.memoryUsage().rss;
    const searcher = new Searcher(index.reader);
    const opened = performance.now();
    await searcher.counts();
    const openMs = performance.now() - opened;
    const times = await searched(searcher, baseline);
    baseline.close();
    await index.close();
    const mb = (bytes) => bytes / 2 ** 20;
    const file = postgres ? undefined : mb(statSync(join(scratch, "knowledge.db")).size);
    const [words, hybrid, fts5] = ["words", "hybrid", "fts5"].map((name) => spread(times[name]));
    const ratios = { words: words.p50 / fts5.p50, hybrid: hybrid.p50 / fts5.p50 };
    const memoryMb = mb(process.memoryUsage().rss - Math.min(before, beforeSearching));
    return {
      machine: machine(),
      database: server ? "PostgreSQL" : "SQLite",
      chunks: count,
      ...writing,
      openMs,
      file,
      memoryMb,
      fts5,
      words,
      hybrid,
      ratios,
      recall,
    };
  } finally {
    await server?.stop();
    rmSync(scratch, { recursive: true });
  }
}

export function missed({ ratios, chunks, recall }) {
  const slow = Object.entries(BARS)
    .filter(([name, bar]) => chunks === CHUNKS && ratios[name] > bar)
    .map(([name, bar]) => `${name} took ${ratios[name].toFixed(2)} times as long as FTS5, more than ${bar}`);
  const lost = `codes find ${recall.toFixed(3)} of the nearest ${NEAREST}, less than ${LEAST_RECALL}`;
  return [...slow, ...(recall < LEAST_RECALL ? [lost] : [])];
}

export function toMarkdown(result) {
  const { machine, database, chunks, fts5, words, hybrid, ratios } = result;
  const row = (name, { p50, p95 }, ratio, bar) =>
    `| ${name} | ${p50.toFixed(1)} ms | ${p95.toFixed(1)} ms | ${ratio} | ${bar} |`;
  return [
    `${machine}; ${chunks.toLocaleString("en")} passages, index on ${database}:`,
    "",
    "| | p50 | p95 | of FTS5's p50 | at most |",
    "|---|---|---|---|---|",
    row("FTS5, bare", fts5, "1", ""),
    row("by words", words, ratios.words.toFixed(2), BARS.words),
    row("hybrid", hybrid, ratios.hybrid.toFixed(2), BARS.hybrid),
    "",
    `Written in ${(result.writeMs / 1000).toFixed(1)} s (${Math.round(chunks / (result.writeMs / 1000)).toLocaleString("en")} passages a second), vectors in ${(result.vectorMs / 1000).toFixed(1)} s; ` +
      `opened in ${result.openMs.toFixed(0)} ms; ${result.memoryMb.toFixed(0)} MB of memory in all${result.file ? `, ${result.file.toFixed(0)} MB on disk` : ""}; ` +
      `codes find ${result.recall.toFixed(3)} of the ${NEAREST} nearest vectors (at least ${LEAST_RECALL}).`,
  ].join("\n");
}

function* passages(documents) {
  for (const { key, title, chunks } of documents)
    for (const [at, { text }] of chunks.entries()) yield { _id: `${key}:${at}`, title, text };
}

function* inGroups(items, size) {
  let group = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Which share of the nearest by all their numbers is among the candidates that one bit a number gives. */
async function codesRecall(reader) {
  const vectors = generatedVectors(DIMENSIONS);
  const queries = Array.from({ length: RECALL_QUERIES }, (_, at) => ({
    vector: new Int8Array(vectors.of(2_000_000 + at).buffer),
    best: new BestHits(NEAREST, (one, other) => one < other),
  }));
  let end = 0;
  for (let after = { revision: 0, no: 0 }; ; ) {
    const some = await reader.changedVectors(after, 4_096);
    if (some.length === 0) break;
    for (const { no, vector } of some) {
      const own = new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      for (const query of queries) query.best.add(no, cosine(query.vector, own));
      end = Math.max(end, no + 1);
    }
    after = some.at(-1);
  }
  const codes = new VectorMirror(reader, 0);
  await codes.catchUp(MODEL);
  const shares = queries.map(({ vector, best }) => {
    const found = new Set(codes.nearest(vector, end, CANDIDATES.dense, () => true));
    const nearest = best.sorted();
    return nearest.filter(({ item }) => found.has(item)).length / nearest.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

async function fill(index, documents) {
  const writer = knowledgeWriter(index.writer);
  const from = performance.now();
  for (const some of inGroups(documents, 100)) await writer.write(some, 1);
  const written = performance.now();
  const vectors = generatedVectors(DIMENSIONS);
  for (let after = 0; ; ) {
    const chunks = await index.writer.withoutVector(MODEL, after, 2_000);
    if (chunks.length === 0) break;
    await index.writer.putVectors(
      MODEL,
      chunks.map(({ no }) => ({ no, vector: vectors.of(no) })),
    );
    after = chunks.at(-1).no;
  }
  return { writeMs: written - from, vectorMs: performance.now() - written };
}

/** Each query all three ways in turn, so that whatever else the machine does meets all of them. */
async function searched(searcher, baseline) {
  const times = { fts5: [], words: [], hybrid: [] };
  const vectors = generatedVectors(DIMENSIONS);
  const timed = async (name, work) => {
    const from = performance.now();
    await work();
    times[name].push(performance.now() - from);
  };
  for (let round = -1; round < ROUNDS; round++) {
    for (const [at, text] of generatedQueries(QUERIES).entries()) {
      const find = (meaning) =>
        searcher.find({ query: parseQuery(text), sources: SOURCES, limit: 10, meaning });
      const vector = new Int8Array(vectors.of(1_000_000 + at).buffer);
      await timed("fts5", () => baseline.search(text, 10));
      await timed("words", () => find(undefined));
      await timed("hybrid", () => find({ model: MODEL, vector }));
    }
    // The first round warms up.
    if (round === -1) for (const list of Object.values(times)) list.length = 0;
  }
  return times;
}

function spread(list) {
  return { p50: median(list), p95: percentile(list, 0.95) };
}
