import { editDistance } from "../../lib/nearest.ts";
import { termsOf } from "../../machine/text/analyser.ts";

/** A query is a phrase; of a longer text only the beginning is used. */
const MAX_CHARS = 2_000;
const MAX_TERMS = 64;
/** A stand-in is worth less than the word it replaces. */
const STAND_IN_WEIGHT = 0.5;
const MIN_TYPO_LENGTH = 4;
const MAX_STAND_INS = 4;

/** Synonyms. Used only for a word that no tool has: for other words they would find too much. */
const SYNONYMS = [
  "create add make generate insert new",
  "delete remove erase drop",
  "get fetch retrieve read obtain show view",
  "search find lookup query locate",
  "update edit modify change set",
  "send post publish submit",
  "run execute invoke",
  "image picture photo",
  "email mail",
  "folder directory",
  "repository repo",
  "issue ticket bug",
  "calculate compute",
  "route directions navigation",
  "website webpage url",
  "chart graph plot diagram",
  "meeting appointment event",
  "buy purchase order",
  "movie film",
  "database db sql",
  "kubernetes k8s",
  "screenshot capture",
].map((line) => line.split(" ").flatMap((word) => termsOf(word)));

export interface Vocabulary {
  /** Whether a tool that the search may see has the term. */
  knows(term: string): boolean;
  /** Terms of a length that begin with a letter, known or not. */
  termsFrom(letter: string, length: number): Iterable<string>;
}

/** The terms of a query with their weights. An unknown term is replaced by what was probably meant. */
export function weighTerms(query: string, vocabulary: Vocabulary): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const unknown: string[] = [];
  for (const term of new Set(termsOf(query.slice(0, MAX_CHARS)))) {
    if (weights.size + unknown.length >= MAX_TERMS) break;
    if (vocabulary.knows(term)) weights.set(term, 1);
    else unknown.push(term);
  }
  for (const term of unknown.slice(0, MAX_STAND_INS)) {
    for (const other of findStandIns(term, vocabulary)) {
      if (!weights.has(other)) weights.set(other, STAND_IN_WEIGHT);
    }
  }
  return weights;
}

function findStandIns(term: string, vocabulary: Vocabulary): readonly string[] {
  const synonyms = SYNONYMS.filter((words) => words.includes(term)).flat();
  const known = synonyms.filter((other) => vocabulary.knows(other));
  if (known.length > 0 || term.length < MIN_TYPO_LENGTH) return known;
  return findTypos(term, vocabulary);
}

/** Known terms with the same first letter that are one edit away, or two for longer words. */
function findTypos(term: string, vocabulary: Vocabulary): readonly string[] {
  const maxDistance = term.length > 7 ? 2 : 1;
  const byDistance = Array.from({ length: maxDistance + 1 }, (): string[] => []);
  for (let length = term.length - maxDistance; length <= term.length + maxDistance; length++) {
    for (const other of vocabulary.termsFrom(term[0]!, length)) {
      const distance = editDistance(term, other, maxDistance + 1);
      if (distance <= maxDistance && vocabulary.knows(other)) byDistance[distance]!.push(other);
    }
  }
  const closest = byDistance.find((terms) => terms.length > 0) ?? [];
  return closest.slice(0, MAX_STAND_INS);
}
