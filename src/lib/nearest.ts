/** Comparing takes time in proportion to the product of both lengths, and nobody mistypes a longer name. */
const LONGEST_WORD = 200;
/** The budget of edits for all candidates together. Each candidate gets at least two. */
const MOST_EDITS = 40_000;

/**
 * Returns the candidate with the smallest edit distance to `word`, or undefined if none is a likely typo: if more than
 * a third of the word (and at least 2 characters) would change, or no character is the same. With thousands of
 * candidates the limit is stricter.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const all = Array.isArray(candidates) ? (candidates as readonly string[]) : [...candidates];
  const most = Math.max(2, Math.floor(Math.min(word.length / 3, MOST_EDITS / all.length)));
  // Most typos change one or two letters, and a comparison with a low limit ends sooner.
  for (let edits = 1; edits < most; edits *= 2) {
    const found = nearestWithin(edits, word, all);
    if (found !== undefined) return found;
  }
  return nearestWithin(most, word, all);
}

function nearestWithin(edits: number, word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = edits + 1;
  const rows: Rows = [[], []];
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, bestDistance, rows);
    if (distance < bestDistance && isAlike(word, candidate)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function isAlike(word: string, candidate: string): boolean {
  return [...word].some((character) => candidate.includes(character));
}

/** Working memory that all comparisons share. */
type Rows = [previous: number[], row: number[]];

/**
 * Computes the Levenshtein distance and stops with `limit` as soon as it cannot stay below `limit`. Only cells less
 * than `limit` away from the diagonal are computed: no other cell leads to a distance below it.
 */
export function editDistance(
  a: string,
  b: string,
  limit = Number.POSITIVE_INFINITY,
  rows: Rows = [[], []],
): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [previous, row] = rows;
  for (let j = 0; j <= b.length && j <= limit; j++) previous[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const first = Math.max(1, i - limit + 1);
    const last = Math.min(b.length, i + limit - 1);
    const code = a.charCodeAt(i - 1);
    row[first - 1] = first === 1 ? i : limit;
    let smallest = row[first - 1]!;
    for (let j = first; j <= last; j++) {
      let value = previous[j - 1]! + (code === b.charCodeAt(j - 1) ? 0 : 1);
      // The previous row ends one cell earlier.
      if (j < i + limit - 1 && previous[j]! + 1 < value) value = previous[j]! + 1;
      if (row[j - 1]! + 1 < value) value = row[j - 1]! + 1;
      row[j] = value;
      if (value < smallest) smallest = value;
    }
    if (smallest >= limit) return limit;
    [previous, row] = [row, previous];
  }
  return Math.min(previous[b.length]!, limit);
}
