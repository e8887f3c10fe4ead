import type { Readable, Writable } from "node:stream";
import type { Progress } from "../../../contract/tool.ts";
import { LineSplitter } from "../../../lib/lines.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Processes, ProcessTree } from "../../../machine/process/processes.ts";
import type { PluginLog } from "../plugin-log.ts";
import type { PluginLimits } from "./limits.ts";
import { type HostMessage, type PluginMessage, readMessage } from "./messages.ts";
import { RUNNER } from "./runner.ts";

export interface PluginStart {
  readonly plugin: string;
  readonly folder: string;
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that make Node enforce its permissions. */
  readonly nodeArgs: readonly string[];
}

export interface PluginProcessDeps {
  readonly processes: Processes;
  readonly limits: PluginLimits;
  readonly log: PluginLog;
}

export type PluginCall = Omit<Extract<HostMessage, { type: "call" }>, "type" | "id">;

/** How a call ended. `gone`: the process ended before answering; `refused`: it never got the call. */
export type CallEnd =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "threw"; readonly message: string }
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "cancelled" };

interface PendingCall {
  readonly settle: (end: CallEnd) => void;
  readonly progress: (update: Progress) => void;
  /** The plugin acknowledged the cancellation, and nobody waits for the result. */
  abandoned: boolean;
  stopTimer: NodeJS.Timeout | undefined;
}

const GRACE_MS = 1_000;
const FLOOD_BYTES = 1024 * 1024;
const FLOOD_PAUSE_MS = 100;

/** The process of one plugin. It lists its tools once, then takes calls until it ends. */
export class PluginProcess {
  /** Its tools, or why it did not list them. Never rejects. */
  readonly ready: Promise<Result<readonly unknown[], string>>;
  /** Resolves with the reason when the process and its children have ended. */
  readonly gone: Promise<string>;
  readonly #deps: PluginProcessDeps;
  readonly #tree: ProcessTree;
  readonly #input: Writable;
  readonly #pending = new Map<number, PendingCall>();
  #told: (tools: Result<readonly unknown[], string>) => void = () => {};
  #calls = 0;
  #strays = 0;
  #reason: string | undefined;
  #second = { since: 0, messages: 0 };
  #savedBytes: number;

  /** Throws what `spawn` throws. */
  constructor(deps: PluginProcessDeps, start: PluginStart) {
    const { plugin, folder, entry, cwd, env, nodeArgs } = start;
    this.#deps = deps;
    this.#savedBytes = deps.limits.bytesPerCall;
    const args = [
      ...nodeArgs,
      "--no-warnings",
      `--max-old-space-size=${deps.limits.memoryMiB}`,
      "--input-type=module",
      "--eval",
      RUNNER,
    ];
    this.#tree = deps.processes.spawn(process.execPath, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    });
    const [, stdout, stderr, input, output] = this.#tree.child.stdio;
    this.#input = input as Writable;
    this.#input.on("error", () => {}); // a closed pipe is reported as the end of the process
    for (const stream of [stdout, stderr]) if (stream) this.#keep(stream as Readable);
    if (output) this.#listen(output as Readable);
    this.ready = new Promise((resolve) => {
      this.#told = resolve;
    });
    this.gone = this.#watch();
    this.#limitLoad();
    this.#send({ type: "load", plugin, folder, entry });
  }

  /** The number of calls that somebody waits for. */
  get busy(): number {
    return [...this.#pending.values()].filter((call) => !call.abandoned).length;
  }

  get isEnding(): boolean {
    return this.#reason !== undefined;
  }

  /** Never rejects. Call only after `ready`. */
  call(call: PluginCall, progress: (update: Progress) => void, signal: AbortSignal): Promise<CallEnd> {
    const { maxCalls, maxMessageBytes, bytesPerCall, maxSavedBytes } = this.#deps.limits;
    if (this.#reason !== undefined) return Promise.resolve({ kind: "gone", message: this.#reason });
    if (this.#pending.size >= maxCalls || this.#input.writableLength > maxMessageBytes)
      return Promise.resolve({
        kind: "refused",
        message: `${this.#pending.size} calls are already running`,
      });
    this.#savedBytes = Math.min(this.#savedBytes + bytesPerCall, maxSavedBytes);
    const id = ++this.#calls;
    return new Promise((resolve) => {
      const cancel = () => this.#cancel(id);
      const settle = (end: CallEnd) => {
        signal.removeEventListener("abort", cancel);
        resolve(end);
      };
      this.#pending.set(id, { settle, progress, abandoned: false, stopTimer: undefined });
      this.#send({ type: "call", id, ...call });
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
    });
  }

  /** Ends the process and everything it started. Running calls end with the reason. */
  async end(reason: string): Promise<void> {
    this.#fail(reason);
    await this.gone;
  }

  #fail(reason: string): void {
    this.#reason ??= reason;
    this.#told(err(this.#reason));
    for (const [id, call] of this.#pending) {
      clearTimeout(call.stopTimer);
      call.settle({ kind: "gone", message: this.#reason });
      this.#pending.delete(id);
    }
    void this.#tree.end(GRACE_MS);
  }

  async #watch(): Promise<string> {
    const { code, signal } = await this.#tree.ended;
    const reason = `its process ended (${signal ?? (code === null ? "it could not be started" : `exit code ${code}`)})`;
    // Its last answers may still be in the pipe.
    await waitUntilDrained(this.#tree.child.stdio[4] as Readable | null);
    this.#fail(reason);
    await this.#tree.end(GRACE_MS);
    return this.#reason ?? reason;
  }

  #limitLoad(): void {
    const { loadMs } = this.#deps.limits;
    const timer = setTimeout(() => this.#fail(`it did not list its tools within ${loadMs / 1000} s`), loadMs);
    void this.ready.then(() => clearTimeout(timer));
  }

  #cancel(id: number): void {
    const call = this.#pending.get(id);
    if (!call || call.abandoned) return;
    this.#send({ type: "cancel", id });
    call.stopTimer = setTimeout(
      () => this.#fail("it hangs: it did not acknowledge a cancelled call"),
      this.#deps.limits.stopMs,
    );
  }

  #send(message: HostMessage): void {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  #listen(output: Readable): void {
    const { maxMessageBytes } = this.#deps.limits;
    const splitter = new LineSplitter(maxMessageBytes);
    output.on("error", () => {});
    output.on("data", (chunk: Buffer) => {
      if (splitter.write(chunk, (line) => this.#hear(line))) return;
      output.destroy();
      this.#fail(`it sent a message of more than ${maxMessageBytes} bytes`);
    });
  }

  #hear(line: string): void {
    if (this.#reason !== undefined) return;
    const problem = this.#tooMuch(line.length);
    const message = problem === undefined ? readMessage(line) : undefined;
    if (problem !== undefined) this.#fail(problem);
    else if (message === undefined) this.#stray();
    else if (message.type === "ready") this.#told(ok(message.tools));
    else if (message.type === "failed") this.#fail(message.message);
    else this.#answer(message);
  }

  #answer(message: Extract<PluginMessage, { id: number }>): void {
    const { type, id } = message;
    const call = this.#pending.get(id);
    // A cancelled call may still answer. An answer to an unknown call is invalid.
    if (!call && id > this.#calls) this.#stray();
    if (!call) return;
    if (type === "stopping") this.#abandon(call);
    else if (type === "result") this.#settle(id, call, { kind: "value", value: message.value });
    else if (type === "error") this.#settle(id, call, { kind: "threw", message: message.message });
    else if (!call.abandoned) call.progress(message.update);
  }

  #settle(id: number, call: PendingCall, end: CallEnd): void {
    clearTimeout(call.stopTimer);
    this.#pending.delete(id);
    call.settle(end);
  }

  #abandon(call: PendingCall): void {
    clearTimeout(call.stopTimer);
    call.abandoned = true;
    call.settle({ kind: "cancelled" });
    const abandonedCount = [...this.#pending.values()].filter(({ abandoned }) => abandoned).length;
    if (abandonedCount > this.#deps.limits.maxAbandoned)
      this.#fail(`${abandonedCount} calls kept running after they were cancelled`);
  }

  #stray(): void {
    this.#strays += 1;
    if (this.#strays === 1) this.#deps.log.add("it sent an invalid message");
    if (this.#strays > MAX_INVALID) this.#fail(`it sent more than ${MAX_INVALID} invalid messages`);
  }

  /** Why it may not send another message of this size; undefined if it may. */
  #tooMuch(bytes: number): string | undefined {
    const { maxMessagesPerSecond } = this.#deps.limits;
    const now = performance.now();
    if (now - this.#second.since > 1_000) this.#second = { since: now, messages: 0 };
    this.#second.messages += 1;
    this.#savedBytes -= bytes;
    if (this.#savedBytes < 0) return "it sent more data than its calls allow";
    return this.#second.messages > maxMessagesPerSecond
      ? `it sent more than ${maxMessagesPerSecond} messages per second`
      : undefined;
  }

  /** Keeps what it prints for people. Pauses during a flood, so that everything else still gets time. */
  #keep(stream: Readable): void {
    const writer = this.#deps.log.writer();
    let bytes = 0;
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      writer.write(chunk);
      bytes += chunk.length;
      if (bytes < FLOOD_BYTES) return;
      bytes = 0;
      stream.pause();
      setTimeout(() => stream.resume(), FLOOD_PAUSE_MS).unref();
    });
    stream.once("close", () => writer.end());
  }
}

const MAX_INVALID = 1_000;
const DRAIN_MS = 500;

async function waitUntilDrained(stream: Readable | null): Promise<void> {
  if (!stream || stream.readableEnded || stream.destroyed) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS);
  });
  await Promise.race([new Promise((resolve) => stream.once("close", resolve)), timeout]);
  clearTimeout(timer);
}
