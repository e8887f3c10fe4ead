import type { CallContext, Handlers } from "../../../lib/worker-rpc.ts";
import { type IndexOptions, type KnowledgeIndex, openIndex } from "../index/open-index.ts";
import { knowledgeWriter } from "../indexing/knowledge-writer.ts";
import { Searcher } from "../search/searcher.ts";

/** The role of a thread. One writes and the other searches, so that a search never waits for a sync. */
export type ThreadRole = "writer" | "searcher";

/** The location of the index. Plain data, because it is sent to a thread. */
export type IndexPlace = Omit<IndexOptions, "clock">;

/** The caller knows the types: see `index-proxies.ts`. */
export type IndexMethods = Readonly<Record<string, (...args: unknown[]) => unknown>>;

export interface IndexWork {
  readonly works: Handlers<IndexMethods>;
  close(): Promise<void>;
}

/** Opens the index and executes requests, in a thread or not. */
export async function openIndexWork(role: ThreadRole, place: IndexPlace): Promise<IndexWork> {
  const index = await openIndex({ ...place, clock: Date.now });
  const works = role === "writer" ? writerWorks(index) : searcherWorks(index);
  return { works: works as unknown as Handlers<IndexMethods>, close: () => index.close() };
}

type Args<F extends (...args: never[]) => unknown> = Parameters<F>;

function writerWorks({ writer }: KnowledgeIndex) {
  const knowledge = knowledgeWriter(writer);
  return {
    known: (args: Args<typeof knowledge.known>) => knowledge.known(...args),
    write: (args: Args<typeof knowledge.write>) => knowledge.write(...args),
    touch: (args: Args<typeof knowledge.touch>) => knowledge.touch(...args),
    bury: (args: Args<typeof knowledge.bury>) => knowledge.bury(...args),
    forget: ([sourceId]: [sourceId: string], { sendPart }: Pick<CallContext, "sendPart">) =>
      knowledge.forget(sourceId, sendPart),
    withoutVector: (args: Args<typeof writer.withoutVector>) => writer.withoutVector(...args),
    putVectors: (args: Args<typeof writer.putVectors>) => writer.putVectors(...args),
    sweep: (args: Args<typeof writer.sweep>) => writer.sweep(...args),
  };
}

function searcherWorks({ reader }: KnowledgeIndex) {
  const searcher = new Searcher(reader);
  return {
    find: (args: Args<typeof searcher.find>) => searcher.find(...args),
    entity: (args: Args<typeof searcher.entity>) => searcher.entity(...args),
    chunk: (args: Args<typeof searcher.chunk>) => searcher.chunk(...args),
    counts: (args: Args<typeof searcher.counts>) => searcher.counts(...args),
  };
}
