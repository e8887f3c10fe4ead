// Sets of documents, queries and judgements (docs.jsonl, queries.jsonl, qrels.tsv), and how good an answer is by them.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

export function readSet(folder) {
  const judged = new Map();
  for (const line of readFileSync(join(folder, "qrels.tsv"), "utf8").split("\n")) {
    const [query, document, score] = line.split("\t");
    if (!(Number(score) > 0)) continue;
    const grades = judged.get(query) ?? new Map();
    judged.set(query, grades.set(document, Number(score)));
  }
  const queries = linesOf(join(folder, "queries.jsonl"))
    .filter(({ _id }) => judged.has(String(_id)))
    .map(({ _id, text }) => ({ text, grades: judged.get(String(_id)) }));
  return { name: basename(folder), documents: linesOf(join(folder, "docs.jsonl")), queries };
}

/** nDCG@10 and Recall@100 of one answer: ids, best first. */
export function qualityOf(ids, grades) {
  const gains = ids.slice(0, 10).map((id) => grades.get(id) ?? 0);
  const ideal = [...grades.values()].sort((a, b) => b - a).slice(0, 10);
  const found = ids.slice(0, 100).filter((id) => grades.has(id)).length;
  return { ndcg: discounted(gains) / discounted(ideal), recall: found / grades.size };
}

export function meanOf(qualities) {
  const mean = (key) => qualities.reduce((sum, quality) => sum + quality[key], 0) / qualities.length;
  return { ndcg: mean("ndcg"), recall: mean("recall") };
}

function discounted(gains) {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
}

function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
