import { editDistance } from "../../lib/nearest.ts";
import { termsOf } from "../../machine/text/analyser.ts";

/** A query is a phrase; of a pasted page the first words must do. */
const MAX_CHARS = 2_000;
const MAX_TERMS = 64;
/** What stands in for a word that no tool has is worth less than the word would be. */
const STAND_IN = 0.5;
const SHORTEST_TYPO = 4;
const MAX_STAND_INS = 4;

/** Words that people use for each other. Only looked at for a word that no tool has: elsewhere they find more than was meant. */
const ALIKE = [
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
  /** Whether a tool that the search may know of has the term. */
  knows(term: string): boolean;
  /** Terms of a length that begin with a letter, known or not. */
  termsFrom(letter: string, length: number): Iterable<string>;
}

/** The terms of a query with what they are worth; for one that nobody knows, what was probably meant. */
export function soughtIn(query: string, vocabulary: Vocabulary): ReadonlyMap<string, number> {
  const sought = new Map<string, number>();
  const unknown: string[] = [];
  for (const term of new Set(termsOf(query.slice(0, MAX_CHARS)))) {
    if (sought.size + unknown.length >= MAX_TERMS) break;
    if (vocabulary.knows(term)) sought.set(term, 1);
    else unknown.push(term);
  }
  for (const term of unknown.slice(0, MAX_STAND_INS)) {
    for (const other of standIns(term, vocabulary)) {
      if (!sought.has(other)) sought.set(other, STAND_IN);
    }
  }
  return sought;
}

function standIns(term: string, vocabulary: Vocabulary): readonly string[] {
  const alike = ALIKE.filter((words) => words.includes(term)).flat();
  const known = alike.filter((other) => vocabulary.knows(other));
  if (known.length > 0 || term.length < SHORTEST_TYPO) return known;
  return mistyped(term, vocabulary);
}

/** What is one letter away, of longer words two, and begins with the same letter. */
function mistyped(term: string, vocabulary: Vocabulary): readonly string[] {
  const most = term.length > 7 ? 2 : 1;
  const found = Array.from({ length: most + 1 }, (): string[] => []);
  for (let length = term.length - most; length <= term.length + most; length++) {
    for (const other of vocabulary.termsFrom(term[0]!, length)) {
      const distance = editDistance(term, other, most + 1);
      if (distance <= most && vocabulary.knows(other)) found[distance]!.push(other);
    }
  }
  const closest = found.find((terms) => terms.length > 0) ?? [];
  return closest.slice(0, MAX_STAND_INS);
}
