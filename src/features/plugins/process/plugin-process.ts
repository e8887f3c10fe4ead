import type { Readable, Writable } from "node:stream";
import type { Progress } from "../../../contract/tool.ts";
import { LineSplitter } from "../../../lib/lines.ts";
import { err, ok, type Result } from "../../../lib/result.ts";
import type { Processes, ProcessTree } from "../../../machine/process/processes.ts";
import type { PluginLog } from "../plugin-log.ts";
import type { PluginLimits } from "./limits.ts";
import { type FromPlugin, readMessage, type ToPlugin } from "./messages.ts";
import { RUNNER } from "./runner.ts";

export interface PluginStart {
  readonly plugin: string;
  readonly folder: string;
  readonly entry: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What Node holds it to. */
  readonly nodeArgs: readonly string[];
}

export interface PluginProcessDeps {
  readonly processes: Processes;
  readonly limits: PluginLimits;
  readonly log: PluginLog;
}

export type PluginCall = Omit<Extract<ToPlugin, { type: "call" }>, "type" | "id">;

/** How a call ended. `gone`: the process ended before it answered; `refused`: it never got the call. */
export type CallEnd =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "threw"; readonly message: string }
  | { readonly kind: "gone"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "cancelled" };

interface Pending {
  readonly settle: (end: CallEnd) => void;
  readonly progress: (update: Progress) => void;
  /** It heard that it is to stop, and nobody waits for it any more. */
  abandoned: boolean;
  patience: NodeJS.Timeout | undefined;
}

const GRACE_MS = 1_000;
const FLOOD_BYTES = 1024 * 1024;
const FLOOD_PAUSE_MS = 100;

/** The process of one plugin: tells its tools once, then takes calls, until it ends or is ended. */
export class PluginProcess {
  /** What it says its tools are, or why it does not; never rejects. */
  readonly ready: Promise<Result<readonly unknown[], string>>;
  /** Resolves with the reason once nothing of it is left. */
  readonly gone: Promise<string>;
  readonly #deps: PluginProcessDeps;
  readonly #tree: ProcessTree;
  readonly #input: Writable;
  readonly #pending = new Map<number, Pending>();
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
    this.#input.on("error", () => {}); // a closed pipe shows as the end of the process
    for (const stream of [stdout, stderr]) if (stream) this.#keep(stream as Readable);
    if (output) this.#listen(output as Readable);
    this.ready = new Promise((resolve) => {
      this.#told = resolve;
    });
    this.gone = this.#watch();
    this.#limitLoad();
    this.#send({ type: "load", plugin, folder, entry });
  }

  /** Calls that somebody waits for. */
  get busy(): number {
    return [...this.#pending.values()].filter((call) => !call.abandoned).length;
  }

  get isEnding(): boolean {
    return this.#reason !== undefined;
  }

  /** Never rejects. Only after `ready`. */
  call(call: PluginCall, progress: (update: Progress) => void, signal: AbortSignal): Promise<CallEnd> {
    const { maxCalls, maxMessageBytes, bytesPerCall, maxSavedBytes } = this.#deps.limits;
    if (this.#reason !== undefined) return Promise.resolve({ kind: "gone", message: this.#reason });
    if (this.#pending.size >= maxCalls || this.#input.writableLength > maxMessageBytes)
      return Promise.resolve({
        kind: "refused",
        message: `${this.#pending.size} of its calls are under way already`,
      });
    this.#savedBytes = Math.min(this.#savedBytes + bytesPerCall, maxSavedBytes);
    const id = ++this.#calls;
    return new Promise((resolve) => {
      const cancel = () => this.#cancel(id);
      const settle = (end: CallEnd) => {
        signal.removeEventListener("abort", cancel);
        resolve(end);
      };
      this.#pending.set(id, { settle, progress, abandoned: false, patience: undefined });
      this.#send({ type: "call", id, ...call });
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
    });
  }

  /** Ends the process and everything it started; calls under way end with the reason. */
  async end(reason: string): Promise<void> {
    this.#fail(reason);
    await this.gone;
  }

  #fail(reason: string): void {
    this.#reason ??= reason;
    this.#told(err(this.#reason));
    for (const [id, call] of this.#pending) {
      clearTimeout(call.patience);
      call.settle({ kind: "gone", message: this.#reason });
      this.#pending.delete(id);
    }
    void this.#tree.end(GRACE_MS);
  }

  async #watch(): Promise<string> {
    const { code, signal } = await this.#tree.ended;
    const how = `its process ended (${signal ?? (code === null ? "it could not be started" : `exit code ${code}`)})`;
    // What it answered last may still be in the pipe.
    await drained(this.#tree.child.stdio[4] as Readable | null);
    this.#fail(how);
    await this.#tree.end(GRACE_MS);
    return this.#reason ?? how;
  }

  #limitLoad(): void {
    const { loadMs } = this.#deps.limits;
    const timer = setTimeout(
      () => this.#fail(`it did not say what its tools are within ${loadMs / 1000} s`),
      loadMs,
    );
    void this.ready.then(() => clearTimeout(timer));
  }

  #cancel(id: number): void {
    const call = this.#pending.get(id);
    if (!call || call.abandoned) return;
    this.#send({ type: "cancel", id });
    call.patience = setTimeout(
      () => this.#fail("it hangs: it did not hear that a call was cancelled"),
      this.#deps.limits.stopMs,
    );
  }

  #send(message: ToPlugin): void {
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
    const tooMuch = this.#tooMuch(line.length);
    const message = tooMuch === undefined ? readMessage(line) : undefined;
    if (tooMuch !== undefined) this.#fail(tooMuch);
    else if (message === undefined) this.#stray();
    else if (message.type === "ready") this.#told(ok(message.tools));
    else if (message.type === "failed") this.#fail(message.message);
    else this.#answer(message);
  }

  #answer(message: Extract<FromPlugin, { id: number }>): void {
    const { type, id } = message;
    const call = this.#pending.get(id);
    // One that was given up may still answer; what nobody asked for is no answer.
    if (!call && id > this.#calls) this.#stray();
    if (!call) return;
    if (type === "stopping") this.#abandon(call);
    else if (type === "result") this.#settle(id, call, { kind: "value", value: message.value });
    else if (type === "error") this.#settle(id, call, { kind: "threw", message: message.message });
    else if (!call.abandoned) call.progress(message.update);
  }

  #settle(id: number, call: Pending, end: CallEnd): void {
    clearTimeout(call.patience);
    this.#pending.delete(id);
    call.settle(end);
  }

  #abandon(call: Pending): void {
    clearTimeout(call.patience);
    call.abandoned = true;
    call.settle({ kind: "cancelled" });
    const left = [...this.#pending.values()].filter(({ abandoned }) => abandoned).length;
    if (left > this.#deps.limits.maxAbandoned)
      this.#fail(`${left} of its calls went on after they were cancelled`);
  }

  #stray(): void {
    this.#strays += 1;
    if (this.#strays === 1) this.#deps.log.add("it sent a message that is none");
    if (this.#strays > MAX_STRAYS) this.#fail(`it sent more than ${MAX_STRAYS} messages that are none`);
  }

  /** Why it may not send another message of this size; undefined where it may. */
  #tooMuch(bytes: number): string | undefined {
    const { maxMessagesPerSecond } = this.#deps.limits;
    const now = performance.now();
    if (now - this.#second.since > 1_000) this.#second = { since: now, messages: 0 };
    this.#second.messages += 1;
    this.#savedBytes -= bytes;
    if (this.#savedBytes < 0) return "it sent more bytes than its calls account for";
    return this.#second.messages > maxMessagesPerSecond
      ? `it sent more than ${maxMessagesPerSecond} messages a second`
      : undefined;
  }

  /** What it prints is for people. A flood must leave time for everything else. */
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

const MAX_STRAYS = 1_000;
const DRAIN_MS = 500;

async function drained(stream: Readable | null): Promise<void> {
  if (!stream || stream.readableEnded || stream.destroyed) return;
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS);
  });
  await Promise.race([new Promise((resolve) => stream.once("close", resolve)), enough]);
  clearTimeout(timer);
}
