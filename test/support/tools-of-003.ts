/** The schemas of 003, as its page has them. */
export const TOOLS_OF_003 = [
  {
    name: "search",
    description: "Search indexed content with hybrid search",
    inputSchema: {
      type: "object",
      required: ["query"],
      properties: {
        query: { type: "string", description: "Search query" },
        limit: { type: "integer", default: 20, description: "Maximum results" },
        source: { type: "string", description: "Filter by source (e.g., 'obsidian')" },
        cursor: { type: "string", description: "Pagination cursor from previous response" },
        types: { type: "array", items: { type: "string" }, description: "Result types (entity, memory)" },
        include_memory: { type: "boolean", description: "Deprecated. Use types instead." },
      },
    },
  },
  {
    name: "get",
    description: "Get full entity content with all chunks",
    inputSchema: {
      type: "object",
      required: ["entity_id"],
      properties: { entity_id: { type: "string", description: "Entity UUID" } },
    },
  },
  {
    name: "get_chunk",
    description: "Get single chunk with surrounding context",
    inputSchema: {
      type: "object",
      required: ["chunk_id"],
      properties: {
        chunk_id: { type: "string", description: "Chunk ID (format: entity_id:index)" },
        context_chunks: {
          type: "integer",
          default: 0,
          maximum: 10,
          description: "Include N chunks before/after (0-10)",
        },
      },
    },
  },
  {
    name: "memory_get",
    description: "Retrieve stored context by key or id",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "Memory id" },
        key: { type: "string", description: "Memory key" },
      },
    },
  },
  {
    name: "memory_put",
    description: "Store context for later retrieval",
    inputSchema: {
      type: "object",
      required: ["key", "content"],
      properties: {
        key: { type: "string", description: "Memory key" },
        content: { type: "string", description: "Content to store" },
        tags: { type: "array", items: { type: "string" }, description: "Optional tags for categorization" },
        metadata: { type: "object", description: "Optional metadata" },
        ttl_days: { type: "integer", description: "Optional TTL in days" },
        expires_at: { type: "string", description: "Optional ISO timestamp" },
      },
    },
  },
  {
    name: "inbox_put",
    description: "Write content into the agent inbox",
    inputSchema: {
      type: "object",
      required: ["content"],
      properties: {
        content: { type: "string" },
        title: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        metadata: { type: "object" },
        filename: { type: "string" },
        extension: { type: "string" },
        sync_immediately: { type: "boolean" },
      },
    },
  },
] as const;

/** Its table of scopes. */
export const SCOPES_OF_003 = {
  search: "search",
  get: "get",
  get_chunk: "get",
  memory_get: "memory.read",
  memory_put: "memory.write",
  memory_search: "memory.read",
  sync: "sync",
  sync_status: "sync",
  sync_run: "sync",
  inbox_put: "ingest",
} as const;

/** Tools that must never exist: everything at once, or around all checks. */
export const NEVER = ["export_all", "list_all", "query"];

/** Parameters of ours beside those of 003. */
export const OURS: Readonly<Record<string, readonly string[]>> = {
  memory_get: ["space", "history"],
  memory_put: ["type", "space", "label"],
};
