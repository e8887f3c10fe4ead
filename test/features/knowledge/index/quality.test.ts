import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { meanOf, qualityOf, readSet } from "../../../../bench/support/retrieval-quality.mjs";
import { chunkBlocks } from "../../../../src/features/knowledge/chunks/chunk-blocks.ts";
import { parsePlainText } from "../../../../src/features/knowledge/parse/plain-text.ts";
import { parseQuery } from "../../../../src/features/knowledge/search/query.ts";
import { Searcher } from "../../../../src/features/knowledge/search/searcher.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { entity, type FreshIndex, NOW, postgresIndex, sqliteIndex } from "./indexes.ts";

const SETS = fileURLToPath(new URL("../../../../../shared/bench/search/", import.meta.url));
const SOURCES = new Map([["src_1", "notes"]]);
/** nDCG@10 and Recall@100 that a bare FTS5 reaches with the same documents and queries. */
const FTS5 = { cranfield: { ndcg: 0.362, recall: 0.73 }, med: { ndcg: 0.705, recall: 0.798 } };
const DEPTH = 100;

function quality(fresh: FreshIndex): void {
  test.each(Object.entries(FTS5))(
    "words alone find what was judged relevant in %s as well as FTS5 does",
    { timeout: 300_000 },
    async (name, bars) => {
      const folder = join(SETS, name);
      if (!existsSync(folder)) {
        console.warn(
          "The quality of search is not tested: there is no ../shared/bench/search beside this repository.",
        );
        return;
      }
      await using t = await fresh();
      const { documents, queries } = readSet(folder);
      const entities = documents.map(({ _id, title, text }) => {
        const parsed = parsePlainText(text);
        return entity(String(_id), [], { title, chunks: chunkBlocks(parsed.text, parsed.blocks) });
      });
      for (let from = 0; from < entities.length; from += 200)
        await t.writer.write(entities.slice(from, from + 200), NOW);
      const searcher = new Searcher(t.index.reader);
      const qualities = [];
      for (const { text, grades } of queries) {
        const { results } = await searcher.find({ query: parseQuery(text), sources: SOURCES, limit: DEPTH });
        const keys = results.map(({ uri }) => uri.replace("/docs/", ""));
        qualities.push(qualityOf(keys, grades));
      }
      const { ndcg, recall } = meanOf(qualities);
      expect(ndcg).toBeGreaterThanOrEqual(bars.ndcg);
      expect(recall).toBeGreaterThanOrEqual(bars.recall);
    },
  );
}

describe("quality on SQLite", () => quality(sqliteIndex));
describe.runIf(hasPostgres())("quality on PostgreSQL", () => quality(postgresIndex));
