// What SQLite's own full-text search finds: porter stems, any word may match, the title weighed double, the commonest words of English left out.
import { openDatabaseSync } from "../../dist/machine/db/sqlite/database-sync.js";

const WORD = /[\p{L}\p{N}]+/gu;
/** Lucene's, which give the figures of ../shared/bench/search/README.md. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they " +
    "this to was will with"
  ).split(" "),
);

/** Of documents with `_id`, `title` and `text`, in memory or in a file. */
export async function baselineIndex(documents, file = ":memory:") {
  const database = await openDatabaseSync(file);
  database.exec(`
    pragma journal_mode = wal;
    pragma cache_size = -65536;
    pragma mmap_size = 4294967296;
    create virtual table documents using fts5(id unindexed, title, text, tokenize = 'porter unicode61');
    begin`);
  const insert = database.prepare("insert into documents values (?, ?, ?)");
  for (const { _id, title, text } of documents) insert.run(String(_id), title ?? "", text);
  database.exec("commit");
  const select = database.prepare(
    "select id from documents where documents match ? order by bm25(documents, 0, 2, 1) limit ?",
  );
  return {
    search(text, limit) {
      const words = [...new Set(text.toLowerCase().match(WORD) ?? [])].filter(
        (word) => !STOP_WORDS.has(word),
      );
      if (words.length === 0) return [];
      return select.all(words.map((word) => `"${word}"`).join(" OR "), limit).map(({ id }) => id);
    },
    close: () => database.close(),
  };
}
