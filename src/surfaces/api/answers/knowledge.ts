import type * as contract from "../contract.ts";
import {
  anyObject,
  anyOfTexts,
  count,
  listOf,
  oneOf,
  optional,
  orNull,
  ref,
  type Schema,
  shape,
  text,
  texts,
  time,
  yesNo,
} from "./shape.ts";

const score = { type: "number", description: "From 0 to 1, comparable within one search." };
const counted = {
  source: text,
  seen: count,
  added: count,
  changed: count,
  unchanged: count,
  gone: count,
  failed: count,
  chunks: count,
  bytes: count,
  total: optional({ ...count, description: "Files in all; while scanning, those found so far." }),
};
const label = { ...orNull(text), description: "Only who may see the label sees what it holds." };
const problems = listOf(shape<{ key: string; reason: string }>({ key: text, reason: text }));
const marks = {
  ...listOf(shape<{ start: number; end: number }>({ start: count, end: count })),
  description: "Where words of the query stand in the snippet, in UTF-16 units.",
};
const entity = {
  id: text,
  title: text,
  type: text,
  source: text,
  uri: text,
  tags: texts,
  documentAt: time,
  indexedAt: time,
  metadata: anyObject,
  truncated: { ...yesNo, description: "It has more chunks than are given at once." },
} satisfies Record<string, Schema>;

/** What was gathered: sources, syncs, searches, documents, the inbox. */
export const knowledgeAnswers = {
  SourceReport: shape<contract.SourceReport>({
    ...counted,
    ok: yesNo,
    error: optional({ ...text, description: "Why it failed: then nothing was taken away." }),
    durationMs: count,
    problems,
  }),
  SourceView: shape<contract.SourceView>({
    id: text,
    name: text,
    kind: text,
    config: anyObject,
    label,
    enabled: yesNo,
    createdAt: time,
    updatedAt: time,
    entities: count,
    chunks: count,
    embedded: { ...count, description: "Chunks that have vectors." },
    lastSync: oneOf(ref("SourceReport"), { type: "null" }),
    lastSyncAt: orNull(time),
    running: oneOf(
      shape<contract.SyncProgress>({
        ...counted,
        phase: anyOfTexts(["scanning", "reading", "done"]),
        rate: { type: "number", description: "Files a second." },
      }),
      { type: "null", description: "Nothing is going on." },
    ),
    embedding: optional({
      ...shape<contract.EmbeddingProgress>({
        done: count,
        left: count,
        rate: { type: "number", description: "Passages a second, of all sources; 0: it has just begun." },
      }),
      description: "How far its passages have got vectors; absent: none gets one now.",
    }),
  }),
  SourceList: shape<contract.SourceList>({ sources: listOf(ref("SourceView")) }),
  SourceAnswer: shape<contract.SourceAnswer>({ source: ref("SourceView") }),
  SourceTest: oneOf(
    shape<Extract<contract.SourceTest, { ok: true }>>({
      ok: { const: true },
      files: count,
      more: { ...yesNo, description: "There are more than were looked at." },
      sample: listOf(
        shape<{ key: string; title: string; chunks: number }>({ key: text, title: text, chunks: count }),
      ),
      problems,
    }),
    shape<Extract<contract.SourceTest, { ok: false }>>({ ok: { const: false }, error: text }),
  ),
  SyncAnswer: shape<contract.SyncAnswer>({
    running: { ...yesNo, description: "It goes on: the list of sources says how far it is." },
    skipped: yesNo,
    reason: optional(text),
    sources: optional(listOf(ref("SourceReport"))),
  }),

  FoundEntity: shape<Extract<contract.Found, { kind: "entity" }>>({
    kind: { const: "entity" },
    id: text,
    title: text,
    type: text,
    source: text,
    uri: text,
    tags: texts,
    documentAt: time,
    score,
    chunks: listOf(
      shape<contract.FoundChunk>({
        id: { ...text, description: "`<entity id>:<index>`" },
        index: count,
        headings: texts,
        snippet: text,
        marks,
        score,
      }),
    ),
  }),
  FoundMemory: shape<Extract<contract.Found, { kind: "memory" }>>({
    kind: { const: "memory" },
    id: text,
    key: orNull(text),
    snippet: text,
    marks,
    tags: texts,
    updatedAt: time,
    score,
  }),
  SearchPage: shape<contract.SearchPage>({
    results: listOf(oneOf(ref("FoundEntity"), ref("FoundMemory"))),
    nextCursor: optional(text),
    mode: { ...anyOfTexts(["lexical", "hybrid"]), description: "Words alone, or meanings too." },
    notes: { ...texts, description: "What of the query was not understood or has no effect." },
    leftOut: optional({ ...count, description: "How many documents rules leave out; never for people." }),
  }),
  ChunkView: shape<contract.ChunkView>({
    id: text,
    index: count,
    headings: texts,
    text,
    start: count,
    end: count,
  }),
  EntityAnswer: shape<contract.EntityAnswer>({
    entity: shape<contract.EntityView>({ ...entity, chunks: listOf(ref("ChunkView")) }),
  }),
  ChunkAnswer: shape<contract.ChunkAnswer>({
    entity: shape<contract.ChunkAnswer["entity"]>(entity),
    chunks: listOf(ref("ChunkView")),
  }),

  InboxList: shape<contract.InboxList>({
    folder: text,
    files: listOf(shape<contract.InboxFile>({ name: text, bytes: count, modifiedAt: time })),
    total: count,
  }),
  InboxAnswer: shape<contract.InboxAnswer>({ name: text }),
};
