import { type Clock, systemClock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { Embedder } from "../../machine/text/meaning/embedder.ts";
import type { SourceRecord } from "./contract.ts";
import type { KnowledgeWriter } from "./index/index-record.ts";
import { ChunkEmbedding } from "./indexing/chunk-embedding.ts";
import { IndexSweeping } from "./indexing/index-sweeping.ts";
import type { KnowledgeReader, MemorySearch } from "./knowledge.ts";
import { knowledgeReader } from "./search/knowledge-reader.ts";
import { QueryMeanings } from "./search/query-meanings.ts";
import { threadSearcher, threadWriter } from "./threads/index-proxies.ts";
import { type IndexCaller, indexCaller } from "./threads/index-threads.ts";

export interface KnowledgeDeps {
  readonly home: string;
  /** PostgreSQL; null: the index is the file `knowledge.db` of the home. */
  readonly databaseUrl: string | null;
  /** The current sources. */
  readonly sources: () => Promise<readonly SourceRecord[]>;
  /** The caller closes it. */
  readonly embedder: Embedder;
  /** Whether passages and queries are embedded. */
  readonly isMeaningOn: () => boolean;
  /** Absent: a search finds no memories. */
  readonly memory?: MemorySearch;
  /** Runs work in one process at a time, see `Sharing.lead`. */
  readonly lead: (
    job: string,
    work: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly clock?: Clock;
  readonly log: Log;
  /** The wait after a failure of the embedder. */
  readonly retryMs?: number;
}

/** Counts of one source in the index. */
export interface IndexCounts {
  readonly entities: number;
  readonly chunks: number;
  readonly embedded: number;
}

const EMBEDDING = "knowledge embedding";
const SWEEPING = "knowledge sweeping";

/** Takes documents and finds passages. Nothing is opened or started before the first use. */
export class KnowledgeIndex {
  readonly reader: KnowledgeReader;
  readonly writer: KnowledgeWriter;
  /** Embeds passages that have no vector yet. Also woken after every write. */
  readonly embedding: ChunkEmbedding;
  /** Removes remains of deleted passages once there are many. Wake it after a sync. */
  readonly sweeping: IndexSweeping;
  /** By source id. Sources that were never written are missing. */
  readonly counts: () => Promise<ReadonlyMap<string, IndexCounts>>;
  readonly #threads: readonly IndexCaller[];

  constructor(deps: KnowledgeDeps) {
    const { home, databaseUrl, sources, embedder, isMeaningOn, memory, lead, log } = deps;
    const place = { home, databaseUrl };
    const writing = indexCaller({ role: "writer", place });
    const searching = indexCaller({ role: "searcher", place });
    this.#threads = [writing, searching];
    const writer = threadWriter(writing);
    const searcher = threadSearcher(searching);
    const meanings = new QueryMeanings({ embedder, isOn: isMeaningOn });
    const embedding = new ChunkEmbedding({
      ...{ writer, embedder, log, clock: deps.clock ?? systemClock },
      isOn: isMeaningOn,
      lead: (work, signal) => lead(EMBEDDING, work, signal),
      ...(deps.retryMs !== undefined && { retryMs: deps.retryMs }),
    });
    this.embedding = embedding;
    this.sweeping = new IndexSweeping({
      ...{ writer, log },
      lead: (work, signal) => lead(SWEEPING, work, signal),
    });
    this.reader = knowledgeReader({ searcher, sources, meanings, ...(memory && { memory }) });
    this.writer = {
      ...writer,
      async write(entities, at) {
        await writer.write(entities, at);
        embedding.wake();
      },
    };
    this.counts = () => searcher.counts();
  }

  async close(): Promise<void> {
    await Promise.all([this.embedding.close(), this.sweeping.close()]);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
