import type { Analyser } from "../../../machine/text/analyser.ts";
import { fold } from "../../../machine/text/words.ts";
import type { IndexReader, PostingsRow } from "../index/index-store.ts";
import { BYTES_PER_POSTING } from "../index/postings.ts";
import type { Sought } from "./lexical.ts";
import type { Query } from "./query.ts";

/** Only the first words are looked up. */
export const MAX_WORDS = 64;
/** The most words that a prefix may stand for. */
const MAX_EXPANSIONS = 256;
/** The most bytes of postings that a query may read. Nobody types such a query, so its most common words are left out first. */
export const MAX_POSTINGS_BYTES = 64 * 2 ** 20;

export type RowsByTerm = ReadonlyMap<string, readonly PostingsRow[]>;

/** The terms of a query and their postings. */
export interface SoughtTerms {
  readonly sought: readonly Sought[];
  /** Chunks must have all terms of each of these. */
  readonly phrases: readonly (readonly string[])[];
  /** Entities with a chunk that has all terms of one line are left out; for phrases only after their text was checked. */
  readonly not: readonly (readonly string[])[];
  readonly notPhrases: readonly (readonly string[])[];
  readonly rows: RowsByTerm;
  /** All words to mark in snippets. */
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
  // A repeated word counts once.
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
    // The text is checked anyway, so fewer words only mean that more of it is read.
    phrases: phrases.map((terms) => terms.filter(isKept)).filter((terms) => terms.length > 0),
    not: not.filter((terms) => terms.every(isKept)),
    notPhrases: notPhrases.map((terms) => terms.filter(isKept)).filter((terms) => terms.length > 0),
    ...{ rows, marked: new Set(words), markedPrefixes, notes },
  };
}

/** Words in the index are stemmed, so a prefix is looked up in both forms. */
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
  // One of them is enough, so each is its own line.
  return lists.flat().map((term) => [term]);
}

/** The largest terms to leave out, so that the rest is small enough. */
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
