/** The sync thread: scans, compares and writes. Files are read in another thread. */
import { workerData } from "node:worker_threads";
import { systemClock } from "../../../lib/clock.ts";
import { type CallContext, serveCalls } from "../../../lib/worker-rpc.ts";
import type { SourceReport, SourceTest } from "../contract.ts";
import { type KnowledgeIndex, openIndex } from "../index/open-index.ts";
import { knowledgeWriter } from "../indexing/knowledge-writer.ts";
import { parseText } from "../parse/parse-text.ts";
import { ParseThread, type ParseThreadOptions } from "../parse/parse-thread.ts";
import type { ReadDocument } from "../parse/read-job.ts";
import { lowerPriority } from "../parse/thread-cpu.ts";
import type { PluginDocument } from "../sources/plugin-source.ts";
import { listFolder, scanFolder } from "../sources/scan-folder.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import { type SyncJob, syncSource } from "./sync-source.ts";
import { testSource } from "./test-source.ts";

export interface SyncSetup {
  readonly home: string;
  readonly databaseUrl: string | null;
  readonly parsing?: Omit<ParseThreadOptions, "worker">;
}

export type IndexMethod = "known" | "write" | "touch" | "bury";

/** The requests that the thread handles. */
export interface SyncMethods {
  /** Its parts are `SyncProgress`. */
  sync(job: SyncJob): SourceReport;
  test(plan: SourcePlan): SourceTest;
  forget(sourceId: string): void;
  parse(key: string, given: PluginDocument, fallbackAt: number): ReadDocument;
  /** For documents of plugins, which are not read here. */
  index(name: IndexMethod, args: readonly unknown[]): unknown;
}

const setup = workerData as SyncSetup;
let index: Promise<KnowledgeIndex> | undefined;

lowerPriority();
serveCalls<SyncMethods>(
  {
    sync: ([job], context) => withReader((reader) => sync(job, reader, context)),
    test: ([plan], { signal }) =>
      withReader((reader) => testSource(plan, { reader, scan: scanFolder }, signal)),
    forget: async ([sourceId]) => (await writer()).forget(sourceId),
    parse: ([key, given, fallbackAt]) => parseText(key, given, fallbackAt),
    index: async ([name, args]) => {
      const write: (...args: never[]) => Promise<unknown> = (await writer())[name];
      return write(...(args as never[]));
    },
  },
  async () => (await index?.catch(() => undefined))?.close(),
);

async function sync(job: SyncJob, reader: ParseThread, { signal, sendPart }: CallContext) {
  const folder = { scan: scanFolder, list: listFolder };
  const deps = { writer: await writer(), reader, ...folder, clock: systemClock, onProgress: sendPart };
  return syncSource(job, deps, signal);
}

async function withReader<T>(use: (reader: ParseThread) => Promise<T>): Promise<T> {
  const reader = new ParseThread(setup.parsing);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

async function writer() {
  index ??= openIndex({ home: setup.home, databaseUrl: setup.databaseUrl, clock: systemClock });
  return knowledgeWriter((await index).writer);
}
