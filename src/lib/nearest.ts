/** Comparing takes time in proportion to the product of both lengths, and nobody mistypes a longer name. */
const LONGEST_WORD = 200;
/** Among many candidates only a few edits are looked for: so many of all of them together, and two in any case. */
const MOST_EDITS = 40_000;

/**
 * The candidate closest to `word` by edit distance, or undefined when nothing is close enough to be a likely
 * typo: more than a third of the word, at least 2 edits, would have to change, or no character is the same. Among thousands of
 * candidates it must be closer.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const all = Array.isArray(candidates) ? (candidates as readonly string[]) : [...candidates];
  const most = Math.max(2, Math.floor(Math.min(word.length / 3, MOST_EDITS / all.length)));
  // Most typos are of one letter or two, and the fewer may differ, the sooner a comparison ends.
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

/** What is worked with, for as many comparisons as there are. */
type Rows = [previous: number[], row: number[]];

/**
 * Levenshtein distance, given up (returning `limit`) as soon as it cannot stay below `limit`. Only what is less than `limit` away from the
 * diagonal is looked at: nothing else leads to a distance below it.
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
      // The row before ends one earlier.
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
