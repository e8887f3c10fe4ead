import type { KnowledgeWriter } from "../index/index-record.ts";
import type { IndexWriter } from "../index/index-store.ts";
import type { Searcher } from "../search/searcher.ts";
import type { IndexCaller } from "./index-threads.ts";

export type ThreadWriter = KnowledgeWriter & Pick<IndexWriter, "withoutVector" | "putVectors" | "sweep">;
export type ThreadSearcher = Pick<Searcher, "find" | "entity" | "chunk" | "counts">;

/** The writer behind a thread. */
export function threadWriter(thread: IndexCaller): ThreadWriter {
  return {
    ...forwarding<ThreadWriter>(thread, ["known", "write", "touch", "bury"]),
    ...forwarding<ThreadWriter>(thread, ["withoutVector", "putVectors", "sweep"]),
    forget: async (sourceId, progress) => {
      await thread.call("forget", [sourceId], progress && ((left) => progress(left as number)));
    },
  };
}

export function threadSearcher(thread: IndexCaller): ThreadSearcher {
  return forwarding<ThreadSearcher>(thread, ["find", "entity", "chunk", "counts"]);
}

function forwarding<T>(thread: IndexCaller, names: readonly (keyof T & string)[]): T {
  const methods = names.map((name) => [name, (...args: unknown[]) => thread.call(name, args)]);
  return Object.fromEntries(methods) as T;
}
