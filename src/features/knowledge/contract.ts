/** The shapes of knowledge: sources and their syncs, searches, documents, the inbox. */

import { z } from "zod";
import { anyObject, count, type Infer, optional, text, time } from "../../contract/shape.ts";

const texts = z.array(z.string());
const name = text(200);

/** Where knowledge comes from. What was read from it is in the index, which can be rebuilt. */
export const source = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string().describe("folder, obsidian, bookmarks, notion, mail, inbox, or plugin:NAME."),
  config: anyObject.describe("What its kind needs: a path, patterns, limits."),
  label: z.string().nullable().describe("Only callers that may see the label see what the source holds."),
  enabled: z.boolean(),
  /** How the last sync ended, a `SourceReport` with the time as `at`; null: there was none. */
  lastSync: anyObject.nullable(),
  createdAt: time,
  updatedAt: time,
});
export type SourceRecord = Infer<typeof source>;

// Requests

const config = anyObject.meta({ maxProperties: 50 });
const kind = text(100);
const label = text(40).nullable();

export const newSource = z.object({ name, kind, config, label: label.exactOptional() });
/** Given values replace the old ones. */
export const sourceEdit = z.object(optional({ name, config, label, enabled: z.boolean() }));
export const sourceTrial = z.object({ kind, config });
export const syncStart = z.object({
  source: name.describe("Absent: every enabled source.").exactOptional(),
  wait: z.boolean().describe("Answer when it is done; otherwise as soon as it runs.").exactOptional(),
});
export const searchQuery = z.object({
  query: text(1_000),
  limit: z.int().min(1).max(100).exactOptional(),
  source: name.exactOptional(),
  cursor: z.string().max(20_000).exactOptional(),
  types: z.enum(["entity", "memory", "entity,memory", "memory,entity"]).exactOptional(),
});
export const chunkQuery = z.object({ around: z.int().min(0).max(10).exactOptional() });
export const inboxInput = z.object({
  content: text(1_000_000),
  ...optional({
    title: z.string().max(300),
    tags: z.array(name).max(50),
    metadata: anyObject.meta({ maxProperties: 100 }),
    filename: z.string().max(300),
    extension: z.string().max(20),
  }),
});

export type NewSource = Infer<typeof newSource>;
export type SourceEdit = Infer<typeof sourceEdit>;
export type SourceTrial = Infer<typeof sourceTrial>;
export type SyncStart = Infer<typeof syncStart>;
export type InboxInput = Infer<typeof inboxInput>;

// Answers: sources and syncs

const syncCounts = {
  source: z.string(),
  seen: count,
  added: count,
  changed: count,
  unchanged: count,
  gone: count,
  failed: count,
  chunks: count,
  bytes: count,
  total: count
    .describe("Files in all; while scanning, those found so far. Absent: not known before the end.")
    .exactOptional(),
};
const syncProgress = z.object({
  ...syncCounts,
  phase: z
    .enum(["scanning", "reading", "done"])
    .describe("Files are counted, then compared with the index and read. Vectors are made after a sync."),
  rate: z.number().describe("Files per second, over the last seconds."),
});
const embeddingProgress = z.object({
  done: count,
  left: count,
  rate: z.number().describe("Passages per second, of all sources; 0: it has just begun."),
});
const syncProblem = z.object({ key: z.string(), reason: z.string() });
const problems = z.array(syncProblem).describe("Files that could not be read, and why: the first of them.");

export const sourceReport = z
  .object({
    ...syncCounts,
    ok: z.boolean(),
    error: z.string().describe("Why it failed: then nothing was removed.").exactOptional(),
    durationMs: count,
    problems,
  })
  .meta({ id: "SourceReport" });

export const sourceView = z
  .object({
    ...source.pick({ id: true, name: true, kind: true, config: true, label: true, enabled: true }).shape,
    createdAt: time,
    updatedAt: time,
    entities: count,
    chunks: count,
    embedded: count.describe("Chunks that have vectors."),
    lastSync: sourceReport.nullable(),
    lastSyncAt: time.nullable(),
    running: syncProgress.nullable().describe("The sync in progress; null: none."),
    embedding: embeddingProgress
      .describe("How many of its passages have vectors; absent: none gets one now.")
      .exactOptional(),
  })
  .meta({ id: "SourceView" });
export const sourceList = z.object({ sources: z.array(sourceView) }).meta({ id: "SourceList" });
export const sourceAnswer = z.object({ source: sourceView }).meta({ id: "SourceAnswer" });

const sampledFile = z.object({ key: z.string(), title: z.string(), chunks: count });
export const sourceTest = z
  .union([
    z.object({
      ok: z.literal(true),
      files: count,
      more: z.boolean().describe("There are more files than were looked at."),
      sample: z.array(sampledFile),
      problems,
    }),
    z.object({ ok: z.literal(false), error: z.string() }),
  ])
  .meta({ id: "SourceTest" });
export const syncAnswer = z
  .object({
    running: z.boolean().describe("It goes on: the list of sources shows its progress."),
    skipped: z.boolean(),
    reason: z.string().describe("Why it was skipped.").exactOptional(),
    sources: z.array(sourceReport).describe("How it ended.").exactOptional(),
  })
  .meta({ id: "SyncAnswer" });

export type SyncProgress = Infer<typeof syncProgress>;
export type EmbeddingProgress = Infer<typeof embeddingProgress>;
export type SyncProblem = Infer<typeof syncProblem>;
export type SourceReport = Infer<typeof sourceReport>;
export type SourceView = Infer<typeof sourceView>;
export type SourceList = Infer<typeof sourceList>;
export type SourceAnswer = Infer<typeof sourceAnswer>;
export type SourceTest = Infer<typeof sourceTest>;
export type SyncAnswer = Infer<typeof syncAnswer>;
export type SyncOutcome =
  | { readonly skipped: true; readonly reason: string }
  | { readonly skipped: false; readonly sources: readonly SourceReport[] };

// Answers: searches and documents

const score = z.number().describe("From 0 to 1, comparable within one search.");
const mark = z.object({ start: count, end: count });
const marks = z.array(mark).describe("Where words of the query are in the snippet, in UTF-16 units.");
const entityHead = z.object({
  id: z.string(),
  title: z.string(),
  type: z.string(),
  source: z.string(),
  uri: z.string(),
  tags: texts,
  documentAt: time,
});
const foundChunk = z.object({
  id: z.string().describe("ENTITY_ID:INDEX"),
  index: count,
  headings: texts,
  snippet: z.string(),
  marks,
  score,
});
const entityMatch = entityHead.extend({
  score,
  chunks: z.array(foundChunk).describe("The best ones, best first."),
});
const foundEntity = z.object({ kind: z.literal("entity"), ...entityMatch.shape }).meta({ id: "FoundEntity" });
const foundMemory = z
  .object({
    kind: z.literal("memory"),
    id: z.string(),
    key: z.string().nullable(),
    snippet: z.string(),
    marks,
    tags: texts,
    updatedAt: time,
    score,
  })
  .meta({ id: "FoundMemory" });
const searchResult = z.union([foundEntity, foundMemory]);

export const searchPage = z
  .object({
    results: z.array(searchResult),
    nextCursor: z.string().describe("Absent: there are no more results to show.").exactOptional(),
    mode: z.enum(["lexical", "hybrid"]).describe("By words alone, or by meanings too."),
    notes: texts.describe("Parts of the query that were not understood or have no effect."),
    leftOut: count
      .describe("How many documents of this page are hidden by rules; never given to people.")
      .exactOptional(),
  })
  .meta({ id: "SearchPage" });

export const chunkView = z
  .object({ id: z.string(), index: count, headings: texts, text: z.string(), start: count, end: count })
  .meta({ id: "ChunkView" });
const entityWithoutChunks = entityHead.extend({
  indexedAt: time,
  metadata: anyObject,
  truncated: z.boolean().describe("It has more chunks than are given at once."),
});
const entityView = entityWithoutChunks.extend({ chunks: z.array(chunkView) });
export const entityAnswer = z.object({ entity: entityView }).meta({ id: "EntityAnswer" });
export const chunkAnswer = z
  .object({
    entity: entityWithoutChunks,
    chunks: z.array(chunkView).describe("The chunk and its neighbours, in order."),
  })
  .meta({ id: "ChunkAnswer" });

export type Mark = Infer<typeof mark>;
export type EntityMatch = Infer<typeof entityMatch>;
export type FoundChunk = Infer<typeof foundChunk>;
export type FoundMemory = Infer<typeof foundMemory>;
export type SearchResult = Infer<typeof searchResult>;
export type SearchPage = Infer<typeof searchPage>;
export type ChunkView = Infer<typeof chunkView>;
export type EntityView = Infer<typeof entityView>;
export type EntityAnswer = Infer<typeof entityAnswer>;
export type ChunkAnswer = Infer<typeof chunkAnswer>;

// Answers: the inbox

const inboxFile = z.object({ name: z.string(), bytes: count, modifiedAt: time });
export const inboxList = z
  .object({ folder: z.string(), files: z.array(inboxFile).describe("Newest first."), total: count })
  .meta({ id: "InboxList" });
export const inboxAnswer = z.object({ name: z.string() }).meta({ id: "InboxAnswer" });

export type InboxFile = Infer<typeof inboxFile>;
export type InboxList = Infer<typeof inboxList>;
export type InboxAnswer = Infer<typeof inboxAnswer>;
