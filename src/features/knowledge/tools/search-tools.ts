import { failed, output } from "../../../contract/define-tool.ts";
import type { Tool } from "../../../contract/tool.ts";
import type { ChunkView, EntityView, FoundChunk, SearchResult } from "../contract.ts";
import { ownersRead } from "../memory/spaces.ts";
import { hasWords, parseQuery } from "../search/query.ts";
import { iso, type KnowledgeToolsDeps, knowledgeTool, rounded, withFileRules } from "./knowledge-tool.ts";
import { SearchBudget } from "./search-budget.ts";

const DEFAULT_RESULTS = 20;
const MAX_RESULTS = 100;
const MAX_QUERY = 1_000;
const MAX_CONTEXT = 10;
/** How much of a document one answer contains. The rest can be read chunk by chunk. */
const MAX_ENTITY_CHARS = 200_000;
/** Anybody may have written a document, so its content must not be taken for instructions. */
const READS = {
  flags: { readOnly: true, concurrencySafe: true },
  labels: ["untrusted_content"],
  verbatim: true,
  rereads: true,
} as const;

/** Searches and reads documents, with exactly the parameters of version 003. */
export function createSearchTools(deps: KnowledgeToolsDeps): readonly Tool[] {
  return [searchTool(deps), getTool(deps), getChunkTool(deps)];
}

function searchTool({ reader, reachOf, clock }: KnowledgeToolsDeps): Tool {
  const budget = new SearchBudget(clock);
  return knowledgeTool<{
    readonly query: string;
    readonly limit?: number;
    readonly source?: string;
    readonly cursor?: string;
    readonly types?: readonly string[];
    readonly include_memory?: boolean;
  }>({
    name: "search",
    title: "Search",
    description: "Search indexed content with hybrid search",
    properties: {
      query: { type: "string", description: "Search query" },
      limit: { type: "integer", default: DEFAULT_RESULTS, description: "Maximum results" },
      source: { type: "string", description: "Filter by source (e.g., 'obsidian')" },
      cursor: { type: "string", description: "Pagination cursor from previous response" },
      types: {
        type: "array",
        items: { type: "string" },
        description: "Result types (entity, memory)",
      },
      include_memory: { type: "boolean", description: "Deprecated. Use types instead." },
    },
    required: ["query"],
    ...READS,
    scope: "search",
    async run({ query, limit = DEFAULT_RESULTS, source, cursor, types, include_memory }, context) {
      const { caller, signal } = context;
      if (query.trim() === "") return failed("Expected a query; got only spaces. Say what you look for.");
      if (query.length > MAX_QUERY) return failed(`A query may have ${MAX_QUERY} characters at most.`);
      const wanted = typesOf(types, include_memory);
      if (!wanted)
        return failed(`types may hold entity and memory; got ${JSON.stringify(types).slice(0, 200)}.`);
      const reach = reachOf(caller);
      const isRemembering = wanted.includes("memory");
      if (isRemembering && caller.scopes && !caller.scopes.includes("memory.read"))
        return failed("This token lacks the scope memory.read, which results of the type memory want.");
      const byFilters = !hasWords(parseQuery(query));
      // People can see the whole index anyway.
      const refusal = caller.operator ? undefined : budget.refusal(reach.own, byFilters);
      if (refusal) return failed(refusal);
      const page = await reader.search(
        {
          query,
          limit: Math.max(1, Math.min(MAX_RESULTS, limit)),
          types: wanted,
          access: withFileRules(reach.access, context),
          ...(source !== undefined && { source }),
          ...(cursor !== undefined && { cursor }),
          ...(isRemembering && { memoryOwners: ownersRead(reach) }),
          ...(!caller.operator && { withinHalf: true }),
        },
        signal,
      );
      const documents = page.results.flatMap(({ kind, id }) => (kind === "entity" ? [id] : []));
      if (!caller.operator) budget.note(reach.own, byFilters, documents);
      const { nextCursor, mode, leftOut } = page;
      const notes = [...page.notes, ...(leftOut === undefined ? [] : [leftOutText(leftOut)])];
      const isOver = page.results.length === 0 && nextCursor === undefined;
      const lines = [
        ...notes,
        ...page.results.map((found, at) => `${at + 1}. ${resultText(found)}`),
        ...(isOver ? ["Nothing was found. Try fewer or other words."] : []),
        ...(nextCursor === undefined ? [] : [`There is more: call search again with cursor ${nextCursor}`]),
      ];
      return output(lines.join("\n"), {
        results: page.results.map(shownResult),
        ...(nextCursor !== undefined && { next_cursor: nextCursor }),
        mode,
        ...(notes.length > 0 && { notes }),
      });
    },
  });
}

function getTool({ reader, reachOf }: KnowledgeToolsDeps): Tool {
  return knowledgeTool<{ readonly entity_id: string }>({
    name: "get",
    title: "Get an entity",
    description: "Get full entity content with all chunks",
    properties: { entity_id: { type: "string", description: "Entity UUID" } },
    required: ["entity_id"],
    ...READS,
    scope: "get",
    async run({ entity_id }, context) {
      const access = withFileRules(reachOf(context.caller).access, context);
      const entity = await reader.entity(entity_id.slice(0, 200), access);
      if (!entity) return failed(unknown("entity", entity_id));
      const chunks = firstOf(entity.chunks);
      const truncated = entity.truncated || chunks.length < entity.chunks.length;
      const next = chunks.at(-1);
      const text = [
        headOf(entity),
        ...chunks.map(chunkText),
        ...(truncated && next ? [`There is more: go on with get_chunk, behind ${next.id}`] : []),
      ];
      return output(text.join("\n\n"), {
        entity: { ...shownEntity(entity), chunks: chunks.map(shownChunk), truncated },
      });
    },
  });
}

function getChunkTool({ reader, reachOf }: KnowledgeToolsDeps): Tool {
  return knowledgeTool<{ readonly chunk_id: string; readonly context_chunks?: number }>({
    name: "get_chunk",
    title: "Get a chunk",
    description: "Get single chunk with surrounding context",
    properties: {
      chunk_id: { type: "string", description: "Chunk ID (format: entity_id:index)" },
      context_chunks: {
        type: "integer",
        default: 0,
        maximum: MAX_CONTEXT,
        description: "Include N chunks before/after (0-10)",
      },
    },
    required: ["chunk_id"],
    ...READS,
    scope: "get",
    async run({ chunk_id, context_chunks = 0 }, context) {
      const around = Math.max(0, Math.min(MAX_CONTEXT, context_chunks));
      const access = withFileRules(reachOf(context.caller).access, context);
      const found = await reader.chunk(chunk_id.slice(0, 200), around, access);
      const chunk = found?.chunks.find(({ id }) => id === chunk_id);
      if (!found || !chunk) return failed(unknown("chunk", chunk_id));
      return output([headOf(found.entity), ...found.chunks.map(chunkText)].join("\n\n"), {
        chunk: shownChunk(chunk),
        context: found.chunks.filter(({ id }) => id !== chunk_id).map(shownChunk),
        entity: shownEntity(found.entity),
      });
    },
  });
}

function leftOutText(count: number): string {
  return `${count} ${count === 1 ? "document" : "documents"} left out by rules`;
}

/** Undefined if something else is requested. */
function typesOf(
  types: readonly string[] | undefined,
  includeMemory: boolean | undefined,
): readonly ("entity" | "memory")[] | undefined {
  if (!types?.length) return includeMemory ? ["entity", "memory"] : ["entity"];
  const known = (["entity", "memory"] as const).filter((type) => types.includes(type));
  return types.every((type) => type === "entity" || type === "memory") ? known : undefined;
}

function unknown(what: string, id: string): string {
  return `There is no ${what} ${JSON.stringify(id.slice(0, 100))}. search gives the ids of what there is.`;
}

/** The first chunks that fit into one answer; at least one. */
function firstOf(chunks: readonly ChunkView[]): readonly ChunkView[] {
  let chars = 0;
  const end = chunks.findIndex(({ text }) => {
    chars += text.length;
    return chars > MAX_ENTITY_CHARS;
  });
  return end === -1 ? chunks : chunks.slice(0, Math.max(1, end));
}

function resultText(found: SearchResult): string {
  if (found.kind === "memory") {
    const named = found.key === null ? found.id : `${found.key} (${found.id})`;
    return `memory ${named}: ${found.snippet}`;
  }
  const { title, source, uri, documentAt, chunks } = found;
  return [`${title} — ${source}, ${uri}, ${iso(documentAt).slice(0, 10)}`, ...chunks.map(hitText)].join("\n");
}

function hitText({ id, headings, snippet }: FoundChunk): string {
  const where = headings.length === 0 ? "" : `${headings.join(" › ")}: `;
  return `   [${id}] ${where}${snippet.replace(/\s+/g, " ").trim()}`;
}

function shownResult(found: SearchResult) {
  if (found.kind === "memory") {
    const { id, key, snippet, tags, updatedAt, score } = found;
    return {
      result_type: "memory",
      memory_id: id,
      ...(key !== null && { key }),
      snippet,
      tags,
      updated_at: iso(updatedAt),
      score: rounded(score),
    };
  }
  return {
    result_type: "entity",
    ...shownDocument(found),
    score: rounded(found.score),
    chunks: found.chunks.map((chunk) => ({
      chunk_id: chunk.id,
      index: chunk.index,
      headings: chunk.headings,
      snippet: chunk.snippet,
      score: rounded(chunk.score),
    })),
  };
}

function headOf({ title, source, uri, documentAt }: Omit<EntityView, "chunks">): string {
  return `${title}\n${source}, ${uri}, ${iso(documentAt).slice(0, 10)}`;
}

function chunkText({ id, headings, text }: ChunkView): string {
  return `[${id}]${headings.length === 0 ? "" : ` ${headings.join(" › ")}`}\n${text}`;
}

function shownEntity(entity: Omit<EntityView, "chunks">) {
  return {
    ...shownDocument(entity),
    indexed_at: iso(entity.indexedAt),
    metadata: entity.metadata,
  };
}

type DocumentFacts = Pick<EntityView, "id" | "title" | "type" | "source" | "uri" | "tags" | "documentAt">;

function shownDocument({ id, title, type, source, uri, tags, documentAt }: DocumentFacts) {
  return { entity_id: id, title, type, source, uri, tags, date: iso(documentAt) };
}

function shownChunk({ id, index, headings, text, start, end }: ChunkView) {
  return { chunk_id: id, index, headings, content: text, start, end };
}
