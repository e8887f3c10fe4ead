import type { MemorySearch } from "../knowledge.ts";
import type { Memory } from "./memory.ts";
import { snippetOf } from "./snippet.ts";

/** Memories as a search over documents takes them in. Nothing counts as used by that. */
export function foundMemories(memory: Pick<Memory, "find">): MemorySearch {
  return {
    async findMemories({ owners, ...request }) {
      const hits = await memory.find(owners, request);
      return hits.map(({ memory: { id, key, text, tags, updatedAt }, score }) => ({
        kind: "memory",
        id,
        key,
        ...snippetOf(text, request.query),
        tags,
        updatedAt,
        score,
      }));
    },
  };
}
