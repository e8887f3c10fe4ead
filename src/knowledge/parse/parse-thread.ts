import { Worker } from "node:worker_threads";
import { messageOf } from "../../errors.ts";
import type { FromParser, ToParser } from "./parse-worker.ts";
import type { FileReader, ReadDocument, ReadEnd, ReadJob } from "./read-job.ts";

export interface ParseThreadOptions {
  /** One file, or one batch of its members, may take so long. */
  readonly timeoutMs?: number;
  /** Of JavaScript. */
  readonly heapMb?: number;
  /** So much more memory of the whole process while one file is read is that file's. */
  readonly growthMb?: number;
  /** What the thread runs; a build puts it beside this file. */
  readonly worker?: URL;
}

const TIMEOUT_MS = 30_000;
const HEAP_MB = 384;
const GROWTH_MB = 768;
/** How often a file that takes long is looked after. */
const LOOK_MS = 100;
/** Handed over before the one before it has ended, so that the thread never waits. */
const AHEAD = 8;

interface Waiting {
  readonly id: number;
  readonly job: ReadJob;
  readonly onMembers: (members: readonly ReadDocument[]) => Promise<void>;
  readonly done: (end: ReadEnd) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Reads files in a thread of its own. A file that takes too long, or too much memory, or ends the thread, is given up; the thread is replaced
 * and the files behind it are read. Starts with the first file.
 */
export class ParseThread implements FileReader {
  readonly #options: Required<ParseThreadOptions>;
  /** In the order in which they are read; the first is being read. */
  readonly #waiting: Waiting[] = [];
  #sent = 0;
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;
  #watch: NodeJS.Timeout | undefined;
  /** Of the file that is being read. */
  #begun = { at: 0, rss: 0 };
  /** It waits for its members to be taken. */
  #isPaused = false;

  constructor(options: ParseThreadOptions = {}) {
    const worker = options.worker ?? new URL("./parse-worker.js", import.meta.url);
    this.#options = { timeoutMs: TIMEOUT_MS, heapMb: HEAP_MB, growthMb: GROWTH_MB, worker, ...options };
  }

  read(job: ReadJob, onMembers: Waiting["onMembers"]): Promise<ReadEnd> {
    if (this.#closed) return Promise.reject(new Error("the reader is closed"));
    return new Promise((done, fail) => {
      this.#waiting.push({ id: ++this.#lastId, job, onMembers, done, fail });
      if (this.#waiting.length === 1) this.#begin();
      this.#send();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const { fail } of this.#waiting.splice(0)) fail(new Error("the reader was closed"));
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #send(): void {
    while (this.#sent < Math.min(this.#waiting.length, AHEAD)) {
      const { id, job } = this.#waiting[this.#sent++]!;
      this.#worker ??= this.#start();
      this.#worker.postMessage({ type: "read", id, job } satisfies ToParser);
    }
  }

  #start(): Worker {
    const { worker: file, heapMb } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, stackSizeMb: 4 };
    const worker = new Worker(file, { env: {}, execArgv: [], resourceLimits, stdout: true, stderr: true });
    // What a parser prints is nobody's.
    worker.stdout.resume();
    worker.stderr.resume();
    worker.unref();
    worker.on("message", (message: FromParser) => {
      if (this.#worker === worker) this.#heard(message);
    });
    worker.on("error", (error) => {
      if (this.#worker === worker) this.#giveUp(reasonFor(error));
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#giveUp("reading it ended the thread that reads");
    });
    this.#watch = setInterval(() => this.#look(), LOOK_MS).unref();
    return worker;
  }

  #heard(message: FromParser): void {
    const first = this.#waiting[0];
    if (first?.id !== message.id) return;
    if (message.type === "members") void this.#take(first, message.members);
    else this.#end((waiting) => waiting.done(message.end));
  }

  async #take(waiting: Waiting, members: readonly ReadDocument[]): Promise<void> {
    this.#isPaused = true;
    try {
      await waiting.onMembers(members);
    } catch (error) {
      // Nobody wants the rest: the thread is the only one who could stop reading.
      if (this.#waiting[0] === waiting) this.#replace((first) => first.fail(error));
      return;
    }
    if (this.#waiting[0] !== waiting) return;
    this.#begin();
    this.#worker?.postMessage({ type: "more", id: waiting.id } satisfies ToParser);
  }

  #look(): void {
    if (this.#waiting.length === 0 || this.#isPaused) return;
    const { timeoutMs, growthMb } = this.#options;
    if (performance.now() - this.#begun.at > timeoutMs)
      this.#giveUp(`reading it took more than ${timeoutMs / 1000} s`);
    else if (process.memoryUsage.rss() - this.#begun.rss > growthMb * 1024 * 1024)
      this.#giveUp(`reading it took more than ${growthMb} MB of memory`);
  }

  #giveUp(reason: string): void {
    this.#replace((first) => first.done({ kind: "failed", reason, lasting: true }));
  }

  /** The files behind the first are for the next thread. */
  #replace(settle: (first: Waiting) => void): void {
    clearInterval(this.#watch);
    const worker = this.#worker;
    this.#worker = undefined;
    // Not waited for: it may hang in a read of a broken disk.
    void worker?.terminate();
    if (this.#waiting.length === 0) return;
    this.#sent = 1;
    this.#end(settle);
  }

  #end(settle: (first: Waiting) => void): void {
    const first = this.#waiting.shift()!;
    this.#sent -= 1;
    this.#begin();
    settle(first);
    if (!this.#closed) this.#send();
  }

  #begin(): void {
    this.#isPaused = false;
    this.#begun = { at: performance.now(), rss: process.memoryUsage.rss() };
  }
}

function reasonFor(error: unknown): string {
  const code = (error as { readonly code?: string }).code;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return "reading it took too much memory";
  return `reading it failed: ${messageOf(error).slice(0, 200)}`;
}
