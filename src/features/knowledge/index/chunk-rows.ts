import type { Transaction } from "kysely";
import type { KnowledgeSchema } from "./schema.ts";

/** The numbers of an entity's chunks. */
export interface ChunkRange {
  readonly firstChunk: number;
  readonly chunkCount: number;
}

/** Deletes chunks and their vectors. Their postings become meaningless and are swept once there are many. */
export async function deleteChunks(
  db: Transaction<KnowledgeSchema>,
  ranges: readonly ChunkRange[],
): Promise<void> {
  const gone = ranges.reduce((sum, { chunkCount }) => sum + chunkCount, 0);
  if (gone === 0) return;
  await db
    .updateTable("knowledgeState")
    .set((row) => ({ goneChunks: row("goneChunks", "+", gone) }))
    .execute();
  for (const { firstChunk, chunkCount } of joined(ranges)) {
    const end = firstChunk + chunkCount;
    await db.deleteFrom("knowledgeChunks").where("no", ">=", firstChunk).where("no", "<", end).execute();
    await db
      .deleteFrom("knowledgeVectors")
      .where("chunkNo", ">=", firstChunk)
      .where("chunkNo", "<", end)
      .execute();
  }
}

/** Merges adjacent ranges: entities that were written together have adjacent chunks. */
function joined(ranges: readonly ChunkRange[]): ChunkRange[] {
  const sorted = ranges
    .filter(({ chunkCount }) => chunkCount > 0)
    .sort((a, b) => a.firstChunk - b.firstChunk);
  const long: ChunkRange[] = [];
  for (const range of sorted) {
    const last = long.at(-1);
    if (last && last.firstChunk + last.chunkCount === range.firstChunk)
      long[long.length - 1] = { ...last, chunkCount: last.chunkCount + range.chunkCount };
    else long.push(range);
  }
  return long;
}
