import type { MemorySearch } from "../../features/knowledge/knowledge.ts";
import { memoryFilter } from "../../features/knowledge/memory/found-memories.ts";
import type { Memory } from "../../features/knowledge/memory/memory.ts";
import { snippetOf } from "../../features/knowledge/memory/snippet.ts";
import { hasFilters } from "../../features/knowledge/search/query.ts";

/** Memories as a search over documents takes them in. Nothing counts as used by that. */
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
