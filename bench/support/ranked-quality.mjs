// How good a ranking is. A query's relevant tools may come in groups that count as one: the first hit of a group gains, the others do not.

const DEPTH = 10;

/** nDCG@10 and Recall@1/5/10 of one answer, each from 0 to 1. */
export function qualityOf(ids, { relevant, groups = relevant.map((id) => [id]) }) {
  const found = new Set();
  const quality = { ndcg: 0, recall1: 0, recall5: 0, recall10: 0 };
  for (const [position, id] of ids.slice(0, DEPTH).entries()) {
    const group = groups.findIndex((members, index) => !found.has(index) && members.includes(id));
    if (group === -1) continue;
    found.add(group);
    quality.ndcg += gain(position);
    for (const depth of [1, 5, 10]) if (position < depth) quality[`recall${depth}`] += 1 / groups.length;
  }
  const ideal = groups.slice(0, DEPTH).reduce((sum, _, position) => sum + gain(position), 0);
  return { ...quality, ndcg: quality.ndcg / ideal };
}

/** The mean of each, in percent. */
export function meanQuality(qualities) {
  const sum = { ndcg: 0, recall1: 0, recall5: 0, recall10: 0 };
  for (const quality of qualities) for (const key of Object.keys(sum)) sum[key] += quality[key];
  return Object.fromEntries(
    Object.entries(sum).map(([key, value]) => [key, (100 * value) / qualities.length]),
  );
}

function gain(position) {
  return 1 / Math.log2(position + 2);
}
