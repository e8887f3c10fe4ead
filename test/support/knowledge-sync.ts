import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { SourceReport } from "../../src/features/knowledge/contract.ts";
import type { StoredEntity } from "../../src/features/knowledge/index/index-store.ts";
import { type KnowledgeIndex, openIndex } from "../../src/features/knowledge/index/open-index.ts";
import type { KnowledgeSync, SyncRequest } from "../../src/features/knowledge/knowledge.ts";
import { SourceSync, type SyncDeps } from "../../src/features/knowledge/sync/source-sync.ts";
import { SourceTable } from "../../src/features/knowledge/tables.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { randomId } from "../../src/lib/id.ts";
import { silentLog } from "../../src/lib/log.ts";
import { openStore } from "../../src/machine/db/open.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { putEmptyStore } from "./store-template.ts";
import { tempHome } from "./temp-home.ts";

/** As it was built: threads run files. */
export const SYNC_WORKER = new URL("../../dist/bundle/sync-worker.js", import.meta.url);
export const PARSE_WORKER = new URL("../../dist/bundle/parse-worker.js", import.meta.url);

export interface TestSync extends AsyncDisposable {
  readonly home: string;
  /** Where documents are. */
  readonly folder: string;
  readonly store: Store;
  readonly index: KnowledgeIndex;
  readonly sync: KnowledgeSync;
  /** Writes files, by their path in the folder. */
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  /** Syncs one source and expects that it was not skipped. */
  run(request?: Partial<SyncRequest>): Promise<SourceReport>;
  /** What the index holds that is not gone, by key. */
  entities(): Promise<Map<string, StoredEntity>>;
  /** The chunks of an entity, in order. */
  textOf(key: string): Promise<string[]>;
}

/** A real sync with its threads, over a real store and index, and a folder to read. */
export async function testSync(
  databaseUrl: string | null = null,
  options: Pick<SyncDeps, "parsing" | "callSourceTool" | "counts" | "embeddingRate"> & {
    readonly home?: string;
  } = {},
): Promise<TestSync> {
  const temporary = await tempHome();
  const home = options.home ?? join(temporary.path, "home");
  const folder = join(temporary.path, "documents");
  await mkdir(folder, { recursive: true });
  if (databaseUrl === null && options.home === undefined) await putEmptyStore(home);
  const store = await openStore({ home, databaseUrl, clock: systemClock });
  const index = await openIndex({ home, databaseUrl, clock: systemClock });
  const sync = new SourceSync({
    ...{
      home,
      databaseUrl,
      sources: new SourceTable(store.database),
      sharing: store,
      worker: SYNC_WORKER,
      clock: systemClock,
      newId: randomId,
      log: silentLog,
    },
    ...(options.parsing && { parsing: options.parsing }),
    ...(options.callSourceTool && { callSourceTool: options.callSourceTool }),
    ...(options.counts && { counts: options.counts }),
    ...(options.embeddingRate && { embeddingRate: options.embeddingRate }),
  });
  const entities = async () => {
    const sources = await new SourceTable(store.database).list();
    const found = new Map<string, StoredEntity>();
    for (const { id } of sources) {
      const changes = await index.reader.changedEntities({ revision: 0, no: 0 }, 100_000);
      const stored = await index.reader.entities(changes.map(({ no }) => no));
      for (const entity of stored)
        if (entity.sourceId === id && entity.goneAt === null) found.set(entity.key, entity);
    }
    return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  return {
    ...{ home, folder, store, index, sync, entities },
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), content);
      }
    },
    async run(request = {}) {
      const outcome = await sync.sync({ access: { labels: null }, ...request });
      if (outcome.skipped) throw new Error(`skipped: ${outcome.reason}`);
      return outcome.sources[0]!;
    },
    async textOf(key) {
      const entity = (await entities()).get(key);
      if (!entity) throw new Error(`there is no ${key}`);
      const chunks = await index.reader.chunksOf(entity, 0, 1_000);
      return chunks.map(({ text }) => text);
    },
    async [Symbol.asyncDispose]() {
      await sync.close();
      await index.close();
      await store.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
}
