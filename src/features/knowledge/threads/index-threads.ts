import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type ErrorCode, ToolkeepError } from "../../../contract/errors.ts";
import { type ThreadFailure, ThreadLostError, WorkerThread } from "../../../lib/worker-rpc.ts";
import type { ThreadSetup } from "./index-thread.ts";
import { type IndexMethods, type IndexWork, openIndexWork } from "./index-work.ts";

/** Executes requests on an index. */
export interface IndexCaller {
  call(name: string, args: readonly unknown[], onPart?: (part: unknown) => void): Promise<unknown>;
  /** Waits a while for running requests. */
  close(): Promise<void>;
}

const ENDING_MS = 10_000;
/** A build puts it beside this file. */
const THREAD = new URL("./index-thread.js", import.meta.url);

/** In a thread if its file exists. Tests without a build run it in this thread. */
export function indexCaller(setup: ThreadSetup, file = THREAD): IndexCaller {
  return existsSync(fileURLToPath(file)) ? new IndexThread(setup, file) : new InThisThread(setup);
}

/** If the thread dies, waiting calls are rejected and the next call starts another thread. */
class IndexThread implements IndexCaller {
  readonly #thread: WorkerThread<IndexMethods>;

  constructor(setup: ThreadSetup, file: URL) {
    this.#thread = new WorkerThread({
      start: () => new Worker(file, { workerData: setup, execArgv: [] }),
      ...{ endingMs: ENDING_MS, toError },
    });
  }

  async call(name: string, args: readonly unknown[], onPart?: (part: unknown) => void): Promise<unknown> {
    try {
      return await this.#thread.call(name, [...args], { onPart });
    } catch (error) {
      throw error instanceof ThreadLostError ? unavailable(error.message) : error;
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

class InThisThread implements IndexCaller {
  readonly #setup: ThreadSetup;
  #opening: Promise<IndexWork> | undefined;

  constructor(setup: ThreadSetup) {
    this.#setup = setup;
  }

  async call(name: string, args: readonly unknown[], onPart?: (part: unknown) => void) {
    this.#opening ??= openIndexWork(this.#setup.role, this.#setup.place);
    const { works } = await this.#opening;
    const sendPart = async (part: unknown) => onPart?.(part);
    return works[name]!([...args], { signal: new AbortController().signal, sendPart });
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }
}

function unavailable(reason: string): ToolkeepError {
  return new ToolkeepError("STORE_UNAVAILABLE", `The index of knowledge cannot be used: ${reason}.`);
}

function toError({ name, code, message, stack }: ThreadFailure): Error {
  if (name === "ToolkeepError") return new ToolkeepError(code as ErrorCode, message);
  return Object.assign(new Error(message), stack !== undefined && { stack });
}
