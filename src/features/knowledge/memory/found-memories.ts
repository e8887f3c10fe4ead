import { termsOf } from "../../../machine/text/analyser.ts";
import { fold } from "../../../machine/text/words.ts";
import type { MemorySearch } from "../knowledge.ts";
import { hasPhrase } from "../search/phrases.ts";
import { hasFilters, type Query } from "../search/query.ts";
import type { MemoryRecord } from "./contract.ts";
import type { Memory } from "./memory.ts";
import { snippetOf } from "./snippet.ts";

/** Makes memories searchable together with documents. Does not mark them as used. */
export function foundMemories(memory: Pick<Memory, "find">): MemorySearch {
  return {
    async findMemories({ owners, query, ...request }) {
      const words = [query.words, ...query.prefixes].join(" ").trim();
      if (words === "" && !hasFilters(query)) return [];
      const where = memoryFilter(query);
      const hits = await memory.find(owners, { ...request, ...(words !== "" && { query: words }), where });
      return hits.map(({ memory: { id, key, text, tags, updatedAt }, score }) => ({
        kind: "memory",
        id,
        key,
        ...snippetOf(text, words),
        tags,
        updatedAt,
        score,
      }));
    },
  };
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;

/**
 * Whether a memory matches the filters, phrases and exclusions of a query. Its time is that of its last change. It belongs
 * to no source.
 */
function memoryFilter(query: Query): (memory: MemoryRecord) => boolean {
  const { sources, types, notTypes, tags, notTags, before, after, phrases, not } = query;
  const notWords = not.words.map(termsOf).filter((terms) => terms.length > 0);
  const notPrefixes = not.prefixes.map(fold);
  const hasExclusions = notWords.length + notPrefixes.length + not.phrases.length > 0;
  return (memory) => {
    if (sources.length > 0) return false;
    if (types.length > 0 && !types.includes(memory.type)) return false;
    if (notTypes.includes(memory.type)) return false;
    if (!tags.every((tag) => hasTag(memory, tag)) || notTags.some((tag) => hasTag(memory, tag))) return false;
    if (before !== undefined && memory.updatedAt >= before) return false;
    if (after !== undefined && memory.updatedAt < after) return false;
    const texts = [memory.text, memory.key ?? "", ...memory.tags];
    if (!phrases.every((phrase) => hasPhrase(texts, phrase))) return false;
    return !hasExclusions || !isExcluded(texts);
  };

  function isExcluded(texts: readonly string[]): boolean {
    if (not.phrases.some((phrase) => hasPhrase(texts, phrase))) return true;
    const whole = texts.join(" ");
    const own = new Set(termsOf(whole));
    if (notWords.some((terms) => terms.every((term) => own.has(term)))) return true;
    const words = notPrefixes.length === 0 ? [] : (fold(whole).match(WORD) ?? []);
    return notPrefixes.some((prefix) => words.some((word) => word.startsWith(prefix)));
  }
}

/** `tag:work` also matches `work/travel`, as with documents. */
function hasTag({ tags }: MemoryRecord, tag: string): boolean {
  return tags.some((own) => own === tag || own.startsWith(`${tag}/`));
}
