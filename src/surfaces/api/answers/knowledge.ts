import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const score = { type: "number", description: "From 0 to 1, comparable within one search." };
const counted = {
  source: s.text,
  seen: s.count,
  added: s.count,
  changed: s.count,
  unchanged: s.count,
  gone: s.count,
  failed: s.count,
  chunks: s.count,
  bytes: s.count,
  total: s.optional({ ...s.count, description: "Files in all; while scanning, those found so far." }),
};
const label = { ...s.orNull(s.text), description: "Only who may see the label sees what it holds." };
const problems = s.listOf(s.shape<{ key: string; reason: string }>({ key: s.text, reason: s.text }));
const marks = {
  ...s.listOf(s.shape<{ start: number; end: number }>({ start: s.count, end: s.count })),
  description: "Where words of the query stand in the snippet, in UTF-16 units.",
};
const document = {
  id: s.text,
  title: s.text,
  type: s.text,
  source: s.text,
  uri: s.text,
  tags: s.texts,
  documentAt: s.time,
};
const entity = {
  ...document,
  indexedAt: s.time,
  metadata: s.anyObject,
  truncated: { ...s.yesNo, description: "It has more chunks than are given at once." },
} satisfies Record<string, s.Schema>;

/** What was gathered: sources, syncs, searches, documents, the inbox. */
export const knowledgeAnswers = {
  SourceReport: s.shape<contract.SourceReport>({
    ...counted,
    ok: s.yesNo,
    error: s.optional({ ...s.text, description: "Why it failed: then nothing was taken away." }),
    durationMs: s.count,
    problems,
  }),
  SourceView: s.shape<contract.SourceView>({
    id: s.text,
    name: s.text,
    kind: s.text,
    config: s.anyObject,
    label,
    enabled: s.yesNo,
    createdAt: s.time,
    updatedAt: s.time,
    entities: s.count,
    chunks: s.count,
    embedded: { ...s.count, description: "Chunks that have vectors." },
    lastSync: s.oneOf(s.ref("SourceReport"), { type: "null" }),
    lastSyncAt: s.orNull(s.time),
    running: s.oneOf(
      s.shape<contract.SyncProgress>({
        ...counted,
        phase: s.anyOfTexts(["scanning", "reading", "done"]),
        rate: { type: "number", description: "Files a second." },
      }),
      { type: "null", description: "Nothing is going on." },
    ),
    embedding: s.optional({
      ...s.shape<contract.EmbeddingProgress>({
        done: s.count,
        left: s.count,
        rate: { type: "number", description: "Passages a second, of all sources; 0: it has just begun." },
      }),
      description: "How far its passages have got vectors; absent: none gets one now.",
    }),
  }),
  SourceList: s.shape<contract.SourceList>({ sources: s.listOf(s.ref("SourceView")) }),
  SourceAnswer: s.shape<contract.SourceAnswer>({ source: s.ref("SourceView") }),
  SourceTest: s.oneOf(
    s.shape<Extract<contract.SourceTest, { ok: true }>>({
      ok: { const: true },
      files: s.count,
      more: { ...s.yesNo, description: "There are more than were looked at." },
      sample: s.listOf(
        s.shape<{ key: string; title: string; chunks: number }>({
          key: s.text,
          title: s.text,
          chunks: s.count,
        }),
      ),
      problems,
    }),
    s.shape<Extract<contract.SourceTest, { ok: false }>>({ ok: { const: false }, error: s.text }),
  ),
  SyncAnswer: s.shape<contract.SyncAnswer>({
    running: { ...s.yesNo, description: "It goes on: the list of sources says how far it is." },
    skipped: s.yesNo,
    reason: s.optional(s.text),
    sources: s.optional(s.listOf(s.ref("SourceReport"))),
  }),

  FoundEntity: s.shape<Extract<contract.SearchResult, { kind: "entity" }>>({
    kind: { const: "entity" },
    ...document,
    score,
    chunks: s.listOf(
      s.shape<contract.FoundChunk>({
        id: { ...s.text, description: "`<entity id>:<index>`" },
        index: s.count,
        headings: s.texts,
        snippet: s.text,
        marks,
        score,
      }),
    ),
  }),
  FoundMemory: s.shape<Extract<contract.SearchResult, { kind: "memory" }>>({
    kind: { const: "memory" },
    id: s.text,
    key: s.orNull(s.text),
    snippet: s.text,
    marks,
    tags: s.texts,
    updatedAt: s.time,
    score,
  }),
  SearchPage: s.shape<contract.SearchPage>({
    results: s.listOf(s.oneOf(s.ref("FoundEntity"), s.ref("FoundMemory"))),
    nextCursor: s.optional(s.text),
    mode: { ...s.anyOfTexts(["lexical", "hybrid"]), description: "Words alone, or meanings too." },
    notes: { ...s.texts, description: "What of the query was not understood or has no effect." },
    leftOut: s.optional({ ...s.count, description: "How many documents rules leave out; never for people." }),
  }),
  ChunkView: s.shape<contract.ChunkView>({
    id: s.text,
    index: s.count,
    headings: s.texts,
    text: s.text,
    start: s.count,
    end: s.count,
  }),
  EntityAnswer: s.shape<contract.EntityAnswer>({
    entity: s.shape<contract.EntityView>({ ...entity, chunks: s.listOf(s.ref("ChunkView")) }),
  }),
  ChunkAnswer: s.shape<contract.ChunkAnswer>({
    entity: s.shape<contract.ChunkAnswer["entity"]>(entity),
    chunks: s.listOf(s.ref("ChunkView")),
  }),

  InboxList: s.shape<contract.InboxList>({
    folder: s.text,
    files: s.listOf(s.shape<contract.InboxFile>({ name: s.text, bytes: s.count, modifiedAt: s.time })),
    total: s.count,
  }),
  InboxAnswer: s.shape<contract.InboxAnswer>({ name: s.text }),
};
