import { Worker } from "node:worker_threads";
import { messageOf } from "../../../contract/errors.ts";
import { ThreadLostError, WorkerThread } from "../../../lib/worker-rpc.ts";
import { isContainer } from "../sources/file-type.ts";
import type { MembersRead, ParseMethods, ReadingPosition } from "./parse-worker.ts";
import type { FileReader, ReadDocument, ReadEnd, ReadJob } from "./read-job.ts";
import { threadCpuMs } from "./thread-cpu.ts";

export interface ParseThreadOptions {
  /** The CPU time for one file or member; the wall time may be ten times as long. */
  readonly timeoutMs?: number;
  /** The JavaScript heap. */
  readonly heapMb?: number;
  /** If the memory of the process grows by this much while a file is read, the file is blamed. */
  readonly growthMb?: number;
  /** The file that the thread runs; a build puts it beside this file. */
  readonly worker?: URL;
}

const USUAL = { timeoutMs: 30_000, heapMb: 384, growthMb: 768 };
/** How often a slow file is checked. */
const LOOK_MS = 100;
/** A busy machine is not the fault of the file, but a read that hangs has to end. */
const WAITING_TIMES = 10;
/** The most failing members of one file. Each costs a thread and the time until it is given up. */
const MAX_GIVEN_UP = 50;
/** Handed over before the one before it has ended, so that the thread never waits. */
const AHEAD = 8;

interface Waiting {
  readonly number: number;
  readonly job: ReadJob;
  readonly onMembers: (members: readonly ReadDocument[]) => Promise<void>;
  readonly done: (end: ReadEnd) => void;
  readonly fail: (error: unknown) => void;
  /** In a file with many documents: all members before this one were delivered. */
  from: number;
  /** And these are not tried any more. */
  readonly failed: Map<number, string>;
}

/**
 * Reads files in a separate thread, which starts with the first file. A file that takes too long or too much memory, or kills
 * the thread, is given up; the thread is replaced and the next files are read. In a file with many documents only the member
 * is given up.
 */
export class ParseThread implements FileReader {
  readonly #options: Required<ParseThreadOptions>;
  /** In the order in which they are read; the first is being read. */
  readonly #waiting: Waiting[] = [];
  #sent = 0;
  #thread: WorkerThread<ParseMethods> | undefined;
  #lastNumber = 0;
  #closed = false;
  #watch: NodeJS.Timeout | undefined;
  /** For the file or batch of members that is being read. */
  #rss = 0;
  /** For the file or member that is being read; `cpu` is set at the first check, because most files take no time. */
  #begun: { at: number; cpu: number | undefined; member: number } = { at: 0, cpu: undefined, member: -1 };
  #position = newPosition();
  #task: string | undefined;
  /** It waits for its members to be taken. */
  #isPaused = false;

  constructor(options: ParseThreadOptions = {}) {
    const worker = options.worker ?? new URL("./parse-worker.js", import.meta.url);
    this.#options = { ...USUAL, worker, ...options };
  }

  read(job: ReadJob, onMembers: Waiting["onMembers"]): Promise<ReadEnd> {
    if (this.#closed) return Promise.reject(new Error("the reader is closed"));
    return new Promise((done, fail) => {
      const failed = new Map<number, string>();
      this.#waiting.push({ number: ++this.#lastNumber, job, onMembers, done, fail, from: 0, failed });
      if (this.#waiting.length === 1) this.#begin();
      this.#send();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    for (const { fail } of this.#waiting.splice(0)) fail(new Error("the reader was closed"));
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }

  #send(): void {
    while (this.#sent < Math.min(this.#waiting.length, AHEAD)) {
      const waiting = this.#waiting[this.#sent++]!;
      const { number, job, from, failed } = waiting;
      const again = failed.size > 0 && { resume: { from, failed } };
      this.#thread ??= this.#start();
      const thread = this.#thread;
      const onPart = (part: MembersRead) => this.#take(waiting, part);
      thread.call("read", [number, { ...job, ...again }], { onPart }).then(
        (end) => {
          if (this.#thread === thread) this.#end((first) => first.done(end));
        },
        (error) => {
          if (this.#thread === thread) this.#giveUp(reasonFor(error));
        },
      );
    }
  }

  #start(): WorkerThread<ParseMethods> {
    const { worker: file, heapMb } = this.#options;
    const resourceLimits = { maxOldGenerationSizeMb: heapMb, stackSizeMb: 4 };
    // A thread that was given up may still write where it was.
    this.#position = newPosition();
    this.#task = undefined;
    this.#watch = setInterval(() => this.#look(), LOOK_MS).unref();
    return new WorkerThread({
      start: () => {
        const worker = new Worker(file, {
          ...{ workerData: this.#position, env: {}, execArgv: [], resourceLimits },
          ...{ stdout: true, stderr: true },
        });
        // Output of parsers is discarded.
        worker.stdout.resume();
        worker.stderr.resume();
        return worker;
      },
      onNotice: (task) => {
        this.#task = task as string;
        this.#restart(-1);
      },
      ...{ endingMs: 0, keepsAlive: false },
    });
  }

  async #take(waiting: Waiting, { members, next }: MembersRead): Promise<void> {
    this.#isPaused = true;
    try {
      await waiting.onMembers(members);
    } catch (error) {
      // The rest is not wanted any more, and only ending the thread stops the reading.
      if (this.#waiting[0] === waiting) this.#replace((first) => first.fail(error));
      return;
    }
    if (this.#waiting[0] !== waiting) return;
    waiting.from = next;
    this.#begin();
  }

  #look(): void {
    if (this.#waiting.length === 0 || this.#isPaused) return;
    const { timeoutMs, growthMb } = this.#options;
    const member = this.#memberNow();
    if (member !== this.#begun.member) {
      this.#restart(member);
      return;
    }
    const cpu = threadCpuMs(this.#task);
    this.#begun.cpu ??= cpu;
    const isOver =
      cpu - this.#begun.cpu > timeoutMs || performance.now() - this.#begun.at > timeoutMs * WAITING_TIMES;
    if (isOver) this.#giveUp(`reading it took more than ${timeoutMs / 1000} s`);
    else if (process.memoryUsage.rss() - this.#rss > growthMb * 1024 * 1024)
      this.#giveUp(`reading it took more than ${growthMb} MB of memory`);
  }

  /** The member of the first file that is being parsed; -1: none. */
  #memberNow(): number {
    const [number, member] = this.#position;
    return number === this.#waiting[0]?.number ? member! : -1;
  }

  /** Memory is measured for the whole process and time depends on the machine, so one failure does not prove that the file is at fault. */
  #giveUp(reason: string): void {
    const first = this.#waiting[0];
    const member = this.#memberNow();
    if (!first || member < 0 || !isContainer(first.job.type) || first.failed.size >= MAX_GIVEN_UP) {
      this.#replace((given) => given.done({ kind: "failed", reason, lasting: "if again" }));
      return;
    }
    first.failed.set(member, reason);
    this.#stop();
    this.#sent = 0;
    this.#begin();
    this.#send();
  }

  /** The files behind the first are for the next thread. */
  #replace(settle: (first: Waiting) => void): void {
    this.#stop();
    if (this.#waiting.length === 0) return;
    this.#sent = 1;
    this.#end(settle);
  }

  #stop(): void {
    clearInterval(this.#watch);
    const thread = this.#thread;
    this.#thread = undefined;
    // Not awaited, because it may hang in a read of a broken disk.
    thread?.kill();
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
    this.#rss = process.memoryUsage.rss();
    this.#restart(this.#memberNow());
  }

  #restart(member: number): void {
    this.#begun = { at: performance.now(), cpu: undefined, member };
  }
}

function newPosition(): ReadingPosition {
  return new Int32Array(new SharedArrayBuffer(8));
}

function reasonFor(error: unknown): string {
  if (error instanceof ThreadLostError && error.cause === undefined)
    return "reading it ended the thread that reads";
  const code = ((error as Error).cause as { readonly code?: string } | undefined)?.code;
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return "reading it took too much memory";
  return `reading it failed: ${messageOf(error).slice(0, 200)}`;
}
