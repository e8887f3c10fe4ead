import type { KnowledgeWriter, NewEntity } from "../../../../src/features/knowledge/index/index-record.ts";
import { type KnowledgeIndex, openIndex } from "../../../../src/features/knowledge/index/open-index.ts";
import { knowledgeWriter } from "../../../../src/features/knowledge/indexing/knowledge-writer.ts";
import { systemClock } from "../../../../src/lib/clock.ts";
import { readySchema } from "../../../support/ready-schema.ts";
import { tempHome } from "../../../support/temp-home.ts";

/** An empty index, and further openings of the same data; everything ends with its scope. */
export interface TestIndex extends AsyncDisposable {
  readonly home: string;
  readonly databaseUrl: string | null;
  readonly index: KnowledgeIndex;
  readonly writer: KnowledgeWriter;
  /** As another thread or process would open it. */
  another(): Promise<KnowledgeIndex>;
}

export type FreshIndex = () => Promise<TestIndex>;

export const sqliteIndex: FreshIndex = async () => {
  const home = await tempHome();
  return testIndex({ home: home.path, databaseUrl: null }, async () => home[Symbol.asyncDispose]());
};

export const postgresIndex: FreshIndex = async () => {
  const schema = await readySchema("store and index");
  return testIndex({ home: "", databaseUrl: schema.url }, async () => schema[Symbol.asyncDispose]());
};

async function testIndex(
  options: { home: string; databaseUrl: string | null },
  remove: () => Promise<void>,
): Promise<TestIndex> {
  const opened: KnowledgeIndex[] = [];
  const another = async () => {
    const index = await openIndex({ ...options, clock: systemClock });
    opened.push(index);
    return index;
  };
  const index = await another();
  return {
    ...options,
    index,
    writer: knowledgeWriter(index.writer),
    another,
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((one) => one.close()));
      await remove();
    },
  };
}

/** Far beyond 32 bits, as every real time is. */
export const NOW = 1_784_849_483_838;

/** A document of a few passages. */
export const entity = (
  key: string,
  texts: readonly string[],
  change: Partial<NewEntity> = {},
): NewEntity => ({
  sourceId: "src_1",
  key,
  title: key,
  type: "markdown",
  tags: [],
  uri: `/docs/${key}`,
  documentAt: NOW,
  metadata: {},
  modifiedAt: NOW,
  size: 100,
  hash: `hash of ${texts.join()}`,
  chunks: texts.map((text, at) => ({ text, headings: [], start: at * 1000, end: at * 1000 + text.length })),
  ...change,
});
