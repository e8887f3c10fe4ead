import type { KnowledgeWriter } from "../index/index-record.ts";
import type { IndexWriter } from "../index/index-store.ts";
import { indexedEntity } from "./chunk-terms.ts";
import { documentAnalyser } from "./document-analyser.ts";

/** Analyses documents and writes them to the index. Both are slow, so it runs in its own thread. */
export function knowledgeWriter(index: IndexWriter): KnowledgeWriter {
  const analyser = documentAnalyser();
  return {
    known: (sourceId, after, limit) => index.known(sourceId, after, limit),
    write: (entities, at) =>
      index.write(
        entities.map((entity) => indexedEntity(entity, analyser)),
        at,
      ),
    touch: (sourceId, states) => index.touch(sourceId, states),
    bury: (sourceId, keys, at) => index.bury(sourceId, keys, at),
    forget: (sourceId, progress) => index.forget(sourceId, progress),
  };
}
