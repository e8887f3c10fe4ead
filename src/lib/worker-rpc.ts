/**
 * Calls to a thread and their answers. `WorkerThread` is the end that asks, `serveCalls` the end that answers.
 *
 * A thread that is written as a string, or stands for one in a test, can speak the protocol by hand: it answers
 * `{ id, name, args }` with `{ id, value }` or `{ id, failure }`, and `"end"` by closing its port.
 */
import { parentPort, type Transferable, type Worker } from "node:worker_threads";

type ToThread =
  | { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  /** The caller took the part; send the next. */
  | { readonly id: number; readonly taken: true }
  | { readonly id: number; readonly abort: true }
  | "end";

type FromThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly part: unknown }
  | { readonly id: number; readonly failure: ThreadFailure }
  | { readonly notice: unknown };

/** An error in a form that can be sent between threads. */
export interface ThreadFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
}

/** The thread ended, hung or was closed before it answered. `cause` is the error that ended it, if there was one. */
export class ThreadLostError extends Error {
  override readonly name = "ThreadLostError";
}

export interface WorkerThreadOptions {
  /** Starts the thread: with the first call, and again with the first call after the thread was lost. */
  readonly start: () => Worker;
  /** The thread ends after this long without a call, which frees its memory. Default: it stays. */
  readonly idleMs?: number;
  /** How long the thread may take to end before it is terminated. 0 terminates it at once. */
  readonly endingMs: number;
  /** If false, an open call does not keep the process alive. Default true. */
  readonly keepsAlive?: boolean;
  /** Receives notices that the thread sends on its own: see `sendNotice`. */
  readonly onNotice?: (notice: unknown) => void;
  /** Turns a failure of the thread into an error. Default: an `Error` with the same fields. */
  readonly toError?: (failure: ThreadFailure) => Error;
}

export interface CallOptions {
  /** Tells the thread to stop; the call then ends when the thread has stopped. */
  readonly signal?: AbortSignal | undefined;
  /** Receives parts before the answer. The thread may wait until it resolves; if it rejects, so does the call. */
  readonly onPart?: ((part: never) => unknown) | undefined;
  /** A call that takes longer has hung: it fails, and the thread ends. */
  readonly timeoutMs?: number;
  readonly transfer?: readonly Transferable[];
}

/** The methods of a thread, by name. */
export type Methods<M> = { readonly [K in keyof M]: (...args: never[]) => unknown };
export type Answer<M extends Methods<M>, K extends keyof M> = Awaited<ReturnType<M[K]>>;

interface Pending {
  readonly worker: Worker;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly onPart: ((part: never) => unknown) | undefined;
}

/** A thread that starts with its first call. */
export class WorkerThread<M extends Methods<M>> {
  readonly #options: WorkerThreadOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: WorkerThreadOptions) {
    this.#options = options;
  }

  async call<K extends keyof M & string>(
    name: K,
    args: Parameters<M[K]>,
    { signal, onPart, timeoutMs, transfer = [] }: CallOptions = {},
  ): Promise<Answer<M, K>> {
    if (this.#isClosed) throw new ThreadLostError("it was closed");
    signal?.throwIfAborted();
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    if (this.#options.keepsAlive !== false) worker.ref();
    const id = ++this.#lastId;
    const abort = () => post(worker, { id, abort: true });
    signal?.addEventListener("abort", abort, { once: true });
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => this.#hung(worker), timeoutMs).unref();
    try {
      return await new Promise<Answer<M, K>>((resolve, reject) => {
        this.#pending.set(id, { worker, resolve, reject, onPart });
        post(worker, { id, name, args }, transfer);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#rest();
    }
  }

  /** Accepts no more calls. Open calls may finish within `endingMs`. Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  /**
   * Ends the thread at once without waiting, because it may hang in the kernel. Open calls fail; the next call starts
   * another thread.
   */
  kill(): void {
    const worker = this.#worker;
    if (!worker) return;
    this.#lose(worker, new ThreadLostError("it was ended"));
    void worker.terminate();
  }

  #start(): Worker {
    const worker = this.#options.start();
    worker.unref();
    let problem: unknown;
    const fail = (error: unknown) => {
      problem ??= error;
    };
    worker.on("message", (message: FromThread) => this.#receive(worker, message));
    worker.on("error", fail);
    worker.on("messageerror", (error) => {
      fail(error);
      void worker.terminate();
    });
    worker.on("exit", (code) => this.#lose(worker, createLostError(problem, code)));
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if ("notice" in message) {
      if (this.#worker === worker) this.#options.onNotice?.(message.notice);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    if ("part" in message) void this.#take(message.id, pending, message.part);
    else if ("failure" in message) pending.reject((this.#options.toError ?? toDefaultError)(message.failure));
    else pending.resolve(message.value as never);
  }

  async #take(id: number, { worker, onPart, reject }: Pending, part: unknown): Promise<void> {
    try {
      await onPart?.(part as never);
      post(worker, { id, taken: true });
    } catch (error) {
      post(worker, { id, abort: true });
      reject(error);
    }
  }

  #hung(worker: Worker): void {
    this.#lose(worker, new ThreadLostError("it took too long"));
    this.#ending = Promise.all([this.#ending, this.#ended(worker)]);
  }

  /** Fails the open calls of this thread. The next call starts another one. */
  #lose(worker: Worker, error: ThreadLostError): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const pending of this.#pending.values()) if (pending.worker === worker) pending.reject(error);
  }

  #rest(): void {
    this.#worker?.unref();
    const { idleMs } = this.#options;
    clearTimeout(this.#idle);
    if (idleMs !== undefined && this.#worker) this.#idle = setTimeout(() => void this.#end(), idleMs).unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker) this.#ending = Promise.all([this.#ending, this.#ended(worker)]);
    await this.#ending;
  }

  /** Gives a thread some time to release its resources. */
  async #ended(worker: Worker): Promise<void> {
    const { endingMs } = this.#options;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.ref();
    post(worker, "end");
    const timer = setTimeout(() => void worker.terminate(), endingMs);
    if (endingMs === 0) void worker.terminate();
    await exited;
    clearTimeout(timer);
  }
}

function post(worker: Worker, message: ToThread, transfer: readonly Transferable[] = []): void {
  worker.postMessage(message, transfer);
}

function createLostError(problem: unknown, exitCode: number): ThreadLostError {
  if (problem === undefined) return new ThreadLostError(`its thread ended with ${exitCode}`);
  const message = problem instanceof Error ? problem.message : String(problem);
  return new ThreadLostError(message, { cause: problem });
}

function toDefaultError({ message, ...fields }: ThreadFailure): Error {
  return Object.assign(new Error(message), fields);
}

export interface CallContext {
  readonly signal: AbortSignal;
  /** Sends a part before the answer. Resolves when it was taken, or nobody wants the rest. */
  sendPart(part: unknown): Promise<void>;
}

/** The functions in the thread that answer each method. */
export type Handlers<M extends Methods<M>> = {
  readonly [K in keyof M]: (
    args: Parameters<M[K]>,
    context: CallContext,
  ) => Answer<M, K> | Promise<Answer<M, K>>;
};

interface Running {
  readonly stop: AbortController;
  /** Resolvers of parts that were sent and not taken yet, in order. */
  readonly sent: (() => void)[];
}

/**
 * Answers calls in this thread, several at a time. `handlers` may be a function, which is called for each call, so that
 * they can be opened late. When the thread is to end, running calls are aborted and awaited; then `onEnd` releases what
 * the thread holds.
 */
export function serveCalls<M extends Methods<M>>(
  handlers: Handlers<M> | (() => Promise<Handlers<M>>),
  onEnd: () => Promise<void> = async () => {},
): void {
  const port = parentPort!;
  const say = (message: FromThread) => port.postMessage(message);
  const running = new Map<number, Running>();
  const open = async () => (typeof handlers === "function" ? handlers() : handlers);
  const answers = new Set<Promise<void>>();

  const answer = async (id: number, name: string, args: readonly unknown[]): Promise<void> => {
    const call: Running = { stop: new AbortController(), sent: [] };
    running.set(id, call);
    const sendPart = (part: unknown) =>
      new Promise<void>((resolve) => {
        call.sent.push(resolve);
        say({ id, part });
      });
    try {
      const handler = (await open())[name as keyof M];
      say({ id, value: await handler(args as never, { signal: call.stop.signal, sendPart }) });
    } catch (error) {
      say({ id, failure: toFailure(error) });
    } finally {
      running.delete(id);
    }
  };
  const abort = (call: Running | undefined) => {
    call?.stop.abort(new Error("it was cancelled"));
    for (const resolve of call?.sent.splice(0) ?? []) resolve();
  };
  const end = async () => {
    for (const call of running.values()) abort(call);
    await Promise.all(answers);
    await onEnd();
    port.close();
  };

  port.on("message", (message: ToThread) => {
    if (message === "end") void end();
    else if ("abort" in message) abort(running.get(message.id));
    else if ("taken" in message) running.get(message.id)?.sent.shift()?.();
    else {
      const answered = answer(message.id, message.name, message.args).finally(() => answers.delete(answered));
      answers.add(answered);
    }
  });
}

/** Sends a notice from within a thread. */
export function sendNotice(notice: unknown): void {
  parentPort!.postMessage({ notice } satisfies FromThread);
}

function toFailure(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  const { code } = error as { readonly code?: unknown };
  return { name, message, ...(typeof code === "string" && { code }), ...(stack !== undefined && { stack }) };
}
