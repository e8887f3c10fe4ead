import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openIndex } from "../../../src/features/knowledge/index/open-index.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { built, startChild } from "../../support/child.ts";
import { tempHome } from "../../support/temp-home.ts";
import { waitUntil } from "../../support/wait-until.ts";

const ROUNDS = 3;
const CHUNKS = 7;

test("kill -9 between writes leaves whole entities, and every acknowledged one", async () => {
  await using home = await tempHome();
  for (let round = 0; round < ROUNDS; round++) {
    await using child = startChild(writer(home.path, round));
    await waitUntil("the child has written", () => child.lines.length >= 10);
    await sleep(Math.random() * 100);
    await child.kill9();
    const index = await openIndex({ home: home.path, databaseUrl: null, clock: systemClock });
    try {
      const { writer, reader } = index;
      const known = new Set((await writer.known("src_1", null, 10_000)).map(({ key }) => key));
      expect(child.lines.filter((key) => !known.has(key))).toEqual([]);
      const changes = await reader.changedEntities({ revision: 0, no: 0 }, 10_000);
      const entities = await reader.entities(changes.map(({ no }) => no));
      for (const entity of entities) {
        const chunks = await reader.chunksOf(entity, 0, 100);
        expect(chunks.map(({ text }) => text)).toEqual(textsOf(entity.key));
      }
      // Nothing doubled: every chunk belongs to one of them.
      const all = await writer.withoutVector("m", 0, 100_000);
      expect(all).toHaveLength(entities.length * CHUNKS);
    } finally {
      await index.close();
    }
  }
});

function textsOf(key: string): string[] {
  return Array.from({ length: CHUNKS }, (_, at) => `${key} passage ${at}`);
}

/** Writes entities for ever, the same keys again and again, and prints each key once its write is acknowledged. */
function writer(home: string, round: number): string {
  return `
    import { writeSync } from "node:fs";
    import { openIndex } from ${built("features/knowledge/index/open-index.js")};
    import { knowledgeWriter } from ${built("features/knowledge/indexing/knowledge-writer.js")};
    const index = await openIndex({ home: ${JSON.stringify(home)}, databaseUrl: null, clock: Date.now });
    const writer = knowledgeWriter(index.writer);
    for (let count = 0; ; count++) {
      const key = "r${round}-" + (count % 20);
      const chunks = Array.from({ length: ${CHUNKS} }, (_, at) => ({
        text: key + " passage " + at, headings: [], start: 0, end: 1,
      }));
      await writer.write([{ sourceId: "src_1", key, title: key, type: "text", tags: [], uri: "", documentAt: 0,
        metadata: {}, modifiedAt: 0, size: 0, hash: String(count), chunks }], count);
      writeSync(1, key + "\\n");
    }`;
}
