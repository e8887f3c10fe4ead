import type { Analyser } from "../../../machine/text/analyser.ts";
import { fold } from "../../../machine/text/words.ts";
import type { IndexReader, PostingsRow } from "../index/index-store.ts";
import { BYTES_PER_POSTING } from "../index/postings.ts";
import type { Sought } from "./lexical.ts";
import type { Query } from "./query.ts";

/** Of more words only the first are looked up. */
export const MAX_WORDS = 64;
/** So many words a beginning may stand for. */
const MAX_EXPANSIONS = 256;
/** A query with more than this to read is one nobody typed: the commonest words are left out, before anything is read. */
export const MAX_POSTINGS_BYTES = 64 * 2 ** 20;

export type RowsByTerm = ReadonlyMap<string, readonly PostingsRow[]>;

/** What of a query is looked up in the index, and what was found there. */
export interface SoughtTerms {
  readonly sought: readonly Sought[];
  /** Chunks must have all terms of each of these. */
  readonly phrases: readonly (readonly string[])[];
  /** Entities of which a chunk has a whole line of these are left out; those of phrases only once their text was looked at. */
  readonly not: readonly (readonly string[])[];
  readonly notPhrases: readonly (readonly string[])[];
  readonly rows: RowsByTerm;
  /** All words to be marked in what is shown. */
  readonly marked: ReadonlySet<string>;
  readonly markedPrefixes: readonly string[];
  readonly notes: readonly string[];
}

/** Looks up the terms of a query. */
export async function readSought(
  query: Query,
  reader: IndexReader,
  analyser: Analyser,
  { chunkEnd, maxBytes = MAX_POSTINGS_BYTES }: { readonly chunkEnd: number; readonly maxBytes?: number },
): Promise<SoughtTerms> {
  const termsOf = (text: string) => analyser.termsOf(text);
  const distinctTerms = (phrase: string) => [...new Set(termsOf(phrase))];
  const notes: string[] = [];
  const words = distinctTerms(query.words);
  if (words.length > MAX_WORDS) notes.push(`Only the first ${MAX_WORDS} words were looked up.`);
  // However often a word was asked for: whoever says it twice does not mean it twice.
  const sought: Sought[] = words.slice(0, MAX_WORDS).map((term) => ({ terms: [term] }));

  const markedPrefixes = query.prefixes.map(fold);
  for (const prefix of query.prefixes) {
    const terms = await expanded(prefix, reader, analyser);
    sought.push({ terms });
  }
  const not = [
    ...query.not.words.map((word) => termsOf(word)),
    ...(await notBeginning(query.not.prefixes, reader, analyser)),
  ].filter((terms) => terms.length > 0);
  const phrases = query.phrases.map(distinctTerms).filter((terms) => terms.length > 0);
  const notPhrases = query.not.phrases.map(distinctTerms).filter((terms) => terms.length > 0);

  const lists = [...sought.map(({ terms }) => terms), ...not, ...phrases, ...notPhrases];
  const all = [...new Set(lists.flat())];
  const dropped =
    all.length * chunkEnd * BYTES_PER_POSTING <= maxBytes
      ? new Set<string>()
      : commonest(await reader.postingsSizes(all), maxBytes);
  if (dropped.size > 0) notes.push("The commonest words were left out: there is too much that has them.");
  const isKept = (term: string) => !dropped.has(term);
  const rows = byTerm(await reader.postings(all.filter(isKept)));
  return {
    sought,
    // The text is read in any case, so fewer words only mean more of it.
    phrases: phrases.map((terms) => terms.filter(isKept)).filter((terms) => terms.length > 0),
    not: not.filter((terms) => terms.every(isKept)),
    notPhrases: notPhrases.map((terms) => terms.filter(isKept)).filter((terms) => terms.length > 0),
    ...{ rows, marked: new Set(words), markedPrefixes, notes },
  };
}

/** Words of the index are without their endings, so the beginning is looked up both ways. */
async function expanded(prefix: string, reader: IndexReader, analyser: Analyser): Promise<string[]> {
  const beginning = fold(prefix);
  const terms = await reader.termsFrom(beginning, MAX_EXPANSIONS);
  return [...new Set([...analyser.termsOf(beginning), ...terms])];
}

async function notBeginning(
  prefixes: readonly string[],
  reader: IndexReader,
  analyser: Analyser,
): Promise<string[][]> {
  const lists = await Promise.all(prefixes.map((prefix) => expanded(prefix, reader, analyser)));
  // Any of them will do, so each is a line of its own.
  return lists.flat().map((term) => [term]);
}

/** The largest that have to go for the rest to be small enough. */
function commonest(sizes: ReadonlyMap<string, number>, most: number): ReadonlySet<string> {
  let sum = 0;
  for (const size of sizes.values()) sum += size;
  const dropped = new Set<string>();
  for (const [term, size] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (sum <= most) break;
    dropped.add(term);
    sum -= size;
  }
  return dropped;
}

function byTerm(rows: readonly PostingsRow[]): RowsByTerm {
  const found = new Map<string, PostingsRow[]>();
  for (const row of rows) {
    const those = found.get(row.term);
    if (those) those.push(row);
    else found.set(row.term, [row]);
  }
  return found;
}
