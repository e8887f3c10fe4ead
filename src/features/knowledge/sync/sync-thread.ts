import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { messageOf } from "../../../contract/errors.ts";
import type { SourceReport, SourceTest, SyncProgress } from "../knowledge.ts";
import type { ReadDocument } from "../parse/read-job.ts";
import type { PluginDocument } from "../sources/plugin-source.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import type { SyncJob } from "./sync-source.ts";
import type { FromSync, SyncSetup, ToSync } from "./sync-worker.ts";

export interface SyncThreadOptions extends SyncSetup {
  /** Without work for this long the thread ends, and its memory is free. */
  readonly idleMs?: number;
  /** What the thread runs; a build puts it beside this file. */
  readonly worker?: URL;
}

const IDLE_MS = 60_000;
const ENDING_MS = 5_000;

interface Waiting {
  readonly done: (value: unknown) => void;
  readonly fail: (error: Error) => void;
  readonly onProgress: ((progress: SyncProgress) => void) | undefined;
}

/** The thread that brings the index up to date, as the main thread sees it. Starts with the first piece of work. */
export class SyncThread {
  readonly #options: SyncThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #ending: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: SyncThreadOptions) {
    this.#options = options;
  }

  /** Resolves also when the source could not be read; rejects when `signal` aborts, or the thread is lost. */
  sync(
    job: SyncJob,
    onProgress: (progress: SyncProgress) => void,
    signal: AbortSignal,
  ): Promise<SourceReport> {
    return this.#ask((id) => ({ type: "sync", id, job }), signal, onProgress) as Promise<SourceReport>;
  }

  test(plan: SourcePlan, signal?: AbortSignal): Promise<SourceTest> {
    return this.#ask((id) => ({ type: "test", id, plan }), signal) as Promise<SourceTest>;
  }

  /** A document that came as text. */
  parse(key: string, given: PluginDocument, fallbackAt: number): Promise<ReadDocument> {
    return this.#ask((id) => ({ type: "parse", id, key, given, fallbackAt })) as Promise<ReadDocument>;
  }

  /** See `KnowledgeWriter`. */
  index(name: "known" | "write" | "touch" | "bury", args: readonly unknown[]): Promise<unknown> {
    return this.#ask((id) => ({ type: "index", id, name, args }));
  }

  async forget(sourceId: string): Promise<void> {
    await this.#ask((id) => ({ type: "forget", id, sourceId }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #ask(
    message: (id: number) => ToSync,
    signal?: AbortSignal,
    onProgress?: (progress: SyncProgress) => void,
  ): Promise<unknown> {
    if (this.#closed) throw new Error("it was closed");
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.ref();
    const abort = () => worker.postMessage({ type: "abort", id } satisfies ToSync);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await new Promise((done, fail) => {
        this.#waiting.set(id, { done, fail, onProgress });
        worker.postMessage(message(id));
      });
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest();
    }
  }

  #start(): Worker {
    const { worker: file = workerFile(), idleMs, ...setup } = this.#options;
    const worker = new Worker(file, { workerData: setup satisfies SyncSetup, env: {}, execArgv: [] });
    worker.on("message", (message: FromSync) => {
      const waiting = this.#waiting.get(message.id);
      if (message.type === "progress") waiting?.onProgress?.(message.progress);
      else if (message.type === "done") waiting?.done(message.value);
      else waiting?.fail(new Error(message.message));
    });
    const lost = (reason: string) => {
      if (this.#worker === worker) this.#worker = undefined;
      else if (this.#worker) return;
      for (const { fail } of this.#waiting.values()) fail(new Error(reason));
    };
    worker.on("error", (error) => lost(`the thread that syncs failed: ${messageOf(error)}`));
    worker.on("exit", () => lost("the thread that syncs ended"));
    return worker;
  }

  #rest(): void {
    this.#worker?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) this.#ending = Promise.all([this.#ending, ended(worker)]).then(() => undefined);
    return this.#ending;
  }
}

/** Lets it give back what it has, for a while. */
async function ended(worker: Worker): Promise<void> {
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.postMessage({ type: "end" } satisfies ToSync);
  const timer = setTimeout(() => void worker.terminate(), ENDING_MS);
  await exited;
  clearTimeout(timer);
}

/** A build puts it beside this file; before one, which is in tests only, that of the last build does. */
function workerFile(): URL {
  const beside = new URL("./sync-worker.js", import.meta.url);
  return existsSync(beside)
    ? beside
    : new URL("../../../../dist/knowledge/sync/sync-worker.js", import.meta.url);
}
