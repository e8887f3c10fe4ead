import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { WorkerThread } from "../../../lib/worker-rpc.ts";
import type { SourceReport, SourceTest, SyncProgress } from "../contract.ts";
import type { ReadDocument } from "../parse/read-job.ts";
import type { PluginDocument } from "../sources/plugin-source.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import type { SyncJob } from "./sync-source.ts";
import type { IndexMethod, SyncMethods, SyncSetup } from "./sync-worker.ts";

export interface SyncThreadOptions extends SyncSetup {
  /** The thread ends after this time without work, to free its memory. */
  readonly idleMs?: number;
  /** The file that the thread runs; a build puts it beside this file. */
  readonly worker?: URL;
}

const IDLE_MS = 60_000;
const ENDING_MS = 5_000;

/** Runs syncs in a thread, which starts with the first work. */
export class SyncThread {
  readonly #thread: WorkerThread<SyncMethods>;

  constructor({ worker = workerFile(), idleMs = IDLE_MS, ...setup }: SyncThreadOptions) {
    const start = () => new Worker(worker, { workerData: setup satisfies SyncSetup, env: {}, execArgv: [] });
    this.#thread = new WorkerThread({ start, idleMs, endingMs: ENDING_MS });
  }

  /** Resolves also if the source could not be read; rejects if `signal` aborts or the thread dies. */
  sync(
    job: SyncJob,
    onProgress: (progress: SyncProgress) => void,
    signal: AbortSignal,
  ): Promise<SourceReport> {
    return this.#thread.call("sync", [job], { signal, onPart: onProgress });
  }

  test(plan: SourcePlan, signal?: AbortSignal): Promise<SourceTest> {
    return this.#thread.call("test", [plan], { signal });
  }

  /** Writes a document that was given as text. */
  parse(key: string, given: PluginDocument, fallbackAt: number): Promise<ReadDocument> {
    return this.#thread.call("parse", [key, given, fallbackAt]);
  }

  /** See `KnowledgeWriter`. */
  index(name: IndexMethod, args: readonly unknown[]): Promise<unknown> {
    return this.#thread.call("index", [name, args]);
  }

  forget(sourceId: string): Promise<void> {
    return this.#thread.call("forget", [sourceId]);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** A build puts it beside this file. Tests without a build use the file of the last build. */
function workerFile(): URL {
  const beside = new URL("./sync-worker.js", import.meta.url);
  return existsSync(beside) ? beside : new URL("../../../../dist/bundle/sync-worker.js", import.meta.url);
}
