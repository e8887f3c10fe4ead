import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type ErrorCode, messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { Failure, FromThread, ThreadSetup, ToThread } from "./index-thread.ts";
import { type IndexWork, openIndexWork } from "./index-work.ts";

/** Somebody who does what is asked of an index. */
export interface IndexCaller {
  call(name: string, args: readonly unknown[], onTold?: (told: unknown) => void): Promise<unknown>;
  /** Lets what has begun come to an end, for a while. */
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly onTold: (told: unknown) => void;
}

const ENDING_MS = 10_000;
/** A build puts it beside this file. */
const THREAD = new URL("./index-thread.js", import.meta.url);

/** In a thread where there is a file to start it from; before a build, which is in tests only, in this one. */
export function indexCaller(setup: ThreadSetup, file = THREAD): IndexCaller {
  return existsSync(fileURLToPath(file)) ? new IndexThread(setup, file) : new InThisThread(setup);
}

/**
 * A thread that starts with the first question. It keeps the process alive only while one is open. When it ends by itself whoever waits is told, and
 * the next question starts another.
 */
class IndexThread implements IndexCaller {
  readonly #setup: ThreadSetup;
  readonly #file: URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(setup: ThreadSetup, file: URL) {
    this.#setup = setup;
    this.#file = file;
  }

  call(name: string, args: readonly unknown[], onTold: (told: unknown) => void = () => {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(unavailable("it was closed"));
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onTold });
      worker.ref();
      worker.postMessage({ id, name, args } satisfies ToThread);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    if (!worker) return;
    const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.ref();
    worker.postMessage("end" satisfies ToThread);
    const timer = setTimeout(() => void worker.terminate(), ENDING_MS);
    await exited;
    clearTimeout(timer);
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#setup, execArgv: [] });
    worker.unref();
    worker.on("message", (said: FromThread) => this.#heard(said));
    let problem: unknown = "its thread ended";
    worker.on("error", (error) => {
      problem = error;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#pending.values()) reject(unavailable(messageOf(problem)));
      this.#pending.clear();
    });
    return worker;
  }

  #heard(said: FromThread): void {
    const pending = this.#pending.get(said.id);
    if (!pending) return;
    if ("told" in said) {
      pending.onTold(said.told);
      return;
    }
    this.#pending.delete(said.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ("failure" in said) pending.reject(errorOf(said.failure));
    else pending.resolve(said.value);
  }
}

class InThisThread implements IndexCaller {
  readonly #setup: ThreadSetup;
  #opening: Promise<IndexWork> | undefined;

  constructor(setup: ThreadSetup) {
    this.#setup = setup;
  }

  async call(name: string, args: readonly unknown[], onTold: (told: unknown) => void = () => {}) {
    this.#opening ??= openIndexWork(this.#setup.role, this.#setup.place);
    const { works } = await this.#opening;
    return works[name]!(args as never, onTold);
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }
}

function unavailable(reason: string): ToolkeepError {
  return new ToolkeepError("STORE_UNAVAILABLE", `The index of knowledge cannot be used: ${reason}.`);
}

function errorOf({ code, message, stack }: Failure): Error {
  if (code !== undefined) return new ToolkeepError(code as ErrorCode, message);
  const bug = new Error(message);
  if (stack !== undefined) bug.stack = stack;
  return bug;
}
