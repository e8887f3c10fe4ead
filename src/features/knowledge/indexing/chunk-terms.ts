import { createHash } from "node:crypto";
import type { Analyser } from "../../../machine/text/analyser.ts";
import type { NewEntity } from "../index/index-record.ts";
import type { IndexedChunk, IndexedEntity } from "../index/index-store.ts";
import { IN_HEADINGS, IN_PATH, IN_TAGS, IN_TITLE, postingOf } from "../index/postings.ts";

/** The text that is embedded for a chunk. The title and headings say what it is about if its own text does not. */
export function embeddedText(title: string, headings: readonly string[], text: string): string {
  const above = headings.filter((heading, at) => at > 0 || heading !== title);
  return [title, ...above, text].join("\n");
}

/** An entity with the terms of its chunks and where each term occurs. */
export function indexedEntity(entity: NewEntity, analyser: Analyser): IndexedEntity {
  // These are the same for all chunks.
  const everywhere = new Map<string, number>();
  const mark = (text: string, where: number, marks: Map<string, number>) => {
    for (const term of analyser.termsOf(text)) marks.set(term, (marks.get(term) ?? 0) | where);
  };
  mark(entity.title, IN_TITLE, everywhere);
  mark(entity.key, IN_PATH, everywhere);
  mark(entity.tags.join(" "), IN_TAGS, everywhere);

  const chunks = entity.chunks.map((chunk): IndexedChunk => {
    const marks = new Map(everywhere);
    mark(chunk.headings.join(" "), IN_HEADINGS, marks);
    const times = new Map<string, number>();
    const terms = analyser.termsOf(chunk.text);
    for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
    const postings = new Map<string, number>();
    for (const [term, count] of times) postings.set(term, postingOf(count, marks.get(term) ?? 0));
    for (const [term, where] of marks) if (!times.has(term)) postings.set(term, postingOf(0, where));
    return { ...chunk, hash: hashOf(entity.title, chunk), length: terms.length, postings };
  });
  return { ...entity, chunks };
}

function hashOf(title: string, { headings, text }: NewEntity["chunks"][number]): string {
  return createHash("sha256")
    .update(embeddedText(title, headings, text))
    .digest("base64url")
    .slice(0, 22);
}
