/** Comparing takes time in proportion to the product of both lengths, and nobody mistypes a longer name. */
const LONGEST_WORD = 200;

/**
 * The candidate closest to `word` by edit distance, or undefined when nothing is close enough to be a likely
 * typo (more than a third of the word would have to change; of a short word, more than half or 2 edits).
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  let best: string | undefined;
  const most = Math.max(Math.min(2, Math.floor(word.length / 2)), Math.floor(word.length / 3));
  let bestDistance = most + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, given up (returning `limit`) as soon as it cannot stay below `limit`. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const value = Math.min(change, previous[j]! + 1, row[j - 1]! + 1);
      row.push(value);
      if (value < smallest) smallest = value;
    }
    if (smallest >= limit) return limit;
    previous = row;
  }
  return previous[b.length]!;
}
