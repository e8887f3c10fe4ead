import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type JSONRPCMessage, SdkError, SdkErrorCode, type Transport } from "@modelcontextprotocol/client";
import { Rate } from "../../lib/flow/rate.ts";
import { isRecord } from "../../lib/json.ts";
import { LineSplitter } from "../../lib/lines.ts";
import type { Processes, ProcessTree, SpawnOptions } from "../../machine/process/processes.ts";
import type { ServerLog } from "../lifecycle/server-log.ts";

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** As in SpawnOptions, for a server in a sandbox. */
  readonly isConfined?: boolean;
  readonly onGone?: () => void;
}

const STDERR_BYTES = 64 * 1024;
/** More notifications than this are dropped, except progress, which somebody waits for. */
const NOTIFICATIONS_PER_SECOND = 2000;
export const PROGRESS = "notifications/progress";
/** Beyond this many lines a server is read more slowly, whatever is in them. */
const LINES_PER_SECOND = 20_000;
const FLOOD_PAUSE_MS = 100;
const DRAIN_PAUSE_MS = 2;
const MAX_BATCH = 1000;
/** How long a server may take to end by itself once its input is closed, as the protocol asks it to. */
const FAREWELL_MS = 500;

/**
 * MCP over the pipes of a child process: one JSON message a line. What else a server prints is skipped and
 * counted, a message over `maxMessageBytes` ends the connection, and the whole process tree ends with it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];

  readonly #processes: Processes;
  readonly #command: StdioCommand;
  readonly #maxMessageBytes: number;
  readonly #log: ServerLog | null;
  #tree: ProcessTree | undefined;
  #writer: LineWriter | undefined;
  readonly #splitter: LineSplitter;
  readonly #onLine = (line: string) => this.#deliver(line);
  #inbox: JSONRPCMessage[] = [];
  #pausing = false;
  readonly #notifications = new Rate(NOTIFICATIONS_PER_SECOND);
  readonly #lines = new Rate(LINES_PER_SECOND);
  #isFlood = false;
  #stderr = Buffer.alloc(0);
  #junkLines = 0;
  #fault: string | undefined;
  #ended: string | undefined;
  #closing = false;
  #closed = false;

  /** `log` keeps what the server writes beside its messages. */
  constructor(
    processes: Processes,
    command: StdioCommand,
    maxMessageBytes: number,
    log: ServerLog | null = null,
  ) {
    this.#processes = processes;
    this.#command = command;
    this.#maxMessageBytes = maxMessageBytes;
    this.#splitter = new LineSplitter(maxMessageBytes);
    this.#log = log;
  }

  /** The SDK takes a transport with `pid` and `stderr` for one over pipes: a silent server is then an old one. */
  get pid(): number | null {
    return this.#tree?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** Lines on stdout that were no message. */
  get junkLines(): number {
    return this.#junkLines;
  }

  /** Why the connection ended or failed, for people; undefined while nothing went wrong. */
  get ending(): string | undefined {
    return this.#fault ?? this.#ended;
  }

  /** The last whole lines that it wrote to stderr: of one that is cut, nobody could tell what it held. */
  get stderrTail(): string {
    const text = this.#stderr.toString("utf8");
    return (this.#stderr.length < STDERR_BYTES ? text : text.slice(text.indexOf("\n") + 1)).trim();
  }

  async start(): Promise<void> {
    const { command, args, cwd, ...rest } = this.#command;
    const options: SpawnOptions = {
      ...rest,
      stdio: ["pipe", "pipe", "pipe"],
      ...(cwd === null ? {} : { cwd }),
    };
    const tree = this.#processes.spawn(command, args, options);
    this.#tree = tree;
    tree.child.stdout?.on("data", (chunk: Buffer) => this.#read(chunk));
    if (tree.child.stderr) this.#keepStderr(tree.child.stderr);
    if (tree.child.stdin) {
      tree.child.stdin.on("error", () => {}); // a closed pipe shows as the process's end
      this.#writer = new LineWriter(tree.child.stdin, this.#maxMessageBytes);
    }
    void this.#watch(tree);
    if (tree.pid === 0) throw await this.#startError(tree);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.post(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Sends a message that is JSON already; `done` hears how that went. `isAlone`: as for a LineWriter. */
  post(message: string, done: (error?: SdkError) => void, isAlone = false): void {
    if (this.#writer) this.#writer.post(message, done, isAlone);
    else done(new SdkError(SdkErrorCode.SendFailed, "its process has not been started", "unsent"));
  }

  /** Resolves when nothing is left that could still be told whether it was sent. */
  async written(): Promise<void> {
    await this.#writer?.written();
  }

  async close(): Promise<void> {
    const tree = this.#tree;
    if (tree) {
      // A pipe that broke means a process about to end by itself: how it ended is worth the wait.
      if (this.#writer?.isBroken) await Promise.race([tree.ended, delay(FAREWELL_MS)]);
      this.#closing = true;
      tree.child.stdin?.end();
      await Promise.race([tree.ended, delay(FAREWELL_MS)]);
      await tree.end();
    }
    this.#finish();
  }

  async #watch(tree: ProcessTree): Promise<void> {
    const drained = new Promise<void>((resolve) => tree.child.once("close", () => resolve()));
    const { code, signal } = await tree.ended;
    if (!this.#closing) this.#ended = `its process ended (${signal ?? `exit code ${code}`})`;
    // What it printed last may still be in the pipe; a stray grandchild may hold the pipe open.
    await Promise.race([drained, tree.end().then(() => delay(FAREWELL_MS))]);
    while (this.#inbox.length > 0) await delay(DRAIN_PAUSE_MS);
    this.#finish();
  }

  #startError(tree: ProcessTree): Promise<Error> {
    const { command, args, cwd } = this.#command;
    return new Promise((resolve) => {
      tree.child.once("error", (error: NodeJS.ErrnoException) => {
        const inFolder = cwd === null ? "" : ` in ${cwd}`;
        const where = command.includes("/") ? inFolder : " on the daemon's PATH";
        const advice =
          args.length === 0 && /\s/.test(command)
            ? "give the command and its arguments separately"
            : "install it, or give its full path";
        this.#fault =
          cwd !== null && !existsSync(cwd)
            ? `its folder ${cwd} does not exist: make it, or give another`
            : error.code === "ENOENT"
              ? `the command ${JSON.stringify(command)} was not found${where}: ${advice}`
              : `the command ${JSON.stringify(command)} could not be started${inFolder}: ${error.message}`;
        resolve(new Error(this.#fault));
      });
    });
  }

  #keepStderr(stderr: Readable): void {
    const decoder = new StringDecoder("utf8");
    stderr.on("data", (chunk: Buffer) => {
      this.#stderr = Buffer.concat([this.#stderr, chunk]).subarray(-STDERR_BYTES);
      if (this.#log?.addStderr(decoder.write(chunk)) !== false) return;
      stderr.pause();
      setTimeout(() => stderr.resume(), FLOOD_PAUSE_MS).unref();
    });
    stderr.once("close", () => this.#log?.endStderr());
  }

  #read(chunk: Buffer): void {
    const junkBefore = this.#junkLines;
    if (!this.#fault && !this.#splitter.write(chunk, this.#onLine)) this.#refuse();
    // A flood of what is no message must leave time for everything else.
    if (!this.#pausing && (this.#isFlood || this.#junkLines > junkBefore)) this.#pause();
  }

  #refuse(): void {
    this.#fault = `it sent a message of more than ${this.#maxMessageBytes} bytes`;
    this.onerror?.(new Error(this.#fault));
    this.#tree?.child.stdout?.destroy();
    void this.close();
  }

  #deliver(line: string): void {
    this.#isFlood ||= !this.#lines.take();
    const messages = messagesOf(line);
    if (messages.length === 0 && line.trim() !== "") {
      this.#junkLines++;
      this.#log?.addJunk(line);
    }
    for (const message of messages) {
      if (this.#pausing || this.#inbox.length > 0) this.#inbox.push(message);
      else this.#receive(message);
    }
  }

  /**
   * The SDK handles a notification only after the current task, but an answer at once: without a pause between
   * them the last thing that a server tells during a call would be overtaken by its answer and lost.
   */
  #handOver(): void {
    while (this.#inbox.length > 0 && !this.#pausing) this.#receive(this.#inbox.shift()!);
  }

  #receive(message: JSONRPCMessage): void {
    const isNotification = "method" in message && !("id" in message);
    if (isNotification && message.method !== PROGRESS && !this.#notifications.take()) return;
    this.onmessage?.(message);
    if (isNotification && !isOwnProgress(message)) this.#pause();
  }

  #pause(): void {
    const stdout = this.#tree?.child.stdout;
    this.#pausing = true;
    stdout?.pause();
    const resume = () => {
      this.#pausing = false;
      this.#handOver();
      if (!this.#pausing) stdout?.resume();
    };
    if (this.#isFlood) setTimeout(resume, FLOOD_PAUSE_MS).unref();
    else setImmediate(resume);
    this.#isFlood = false;
  }

  #finish(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** Told once whether a line was sent. */
type Done = (error?: SdkError) => void;

interface Posted {
  readonly line: string;
  readonly done: Done;
}

/**
 * Writes lines to the input of a process. What is posted in the same turn of the event loop leaves in one write, which
 * costs as much for many lines as for one; as long as lines come one by one, each leaves at once.
 */
export class LineWriter {
  readonly #input: Writable;
  readonly #maxBytes: number;
  #outbox: Posted[] = [];
  #outboxChars = 0;
  /** In this turn. */
  #posted = 0;
  #isBusy = false;
  #writing = 0;
  #isBroken = false;

  /** `maxBytes`: how much may wait for a process that does not read. */
  constructor(input: Writable, maxBytes: number) {
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  /** Whether something could not be written. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** `line` is without its end. `isAlone`: no other is expected meanwhile, so that nobody has to look out for some. */
  post(line: string, done: Done, isAlone = false): void {
    const { writable, writableLength } = this.#input;
    if (!writable) done(this.#failed("its input is closed", "unsent"));
    else if (writableLength + this.#outboxChars > this.#maxBytes)
      done(this.#failed("it does not read its input", "unsent"));
    else if (isAlone && this.#outbox.length === 0) this.#write(`${line}\n`, [done]);
    else {
      if (this.#posted++ === 0) setImmediate(this.#flush);
      if (this.#posted > 1 || this.#isBusy) {
        this.#outbox.push({ line, done });
        this.#outboxChars += line.length;
      } else this.#write(`${line}\n`, [done]);
    }
  }

  /** Resolves when everybody has been told. */
  async written(): Promise<void> {
    while (this.#writing > 0 || this.#outbox.length > 0) await delay(DRAIN_PAUSE_MS);
  }

  readonly #flush = (): void => {
    // Where several came in one turn, several will come in the next.
    this.#isBusy = this.#posted > 1;
    this.#posted = 0;
    const posted = this.#outbox;
    if (posted.length === 0) return;
    this.#outbox = [];
    this.#outboxChars = 0;
    if (!this.#input.writable) {
      for (const { done } of posted) done(this.#failed("its input is closed", "unsent"));
      return;
    }
    let lines = "";
    for (const { line } of posted) lines += `${line}\n`;
    this.#write(
      lines,
      posted.map(({ done }) => done),
    );
  };

  #write(lines: string, done: readonly Done[]): void {
    // Written together with others, an error does not tell which of them had left already.
    const extent = this.#input.writableLength === 0 && done.length === 1 ? "unsent" : "unknown";
    this.#writing++;
    this.#input.write(lines, (error) => {
      this.#writing--;
      const failed = error ? this.#failed(error.message, extent) : undefined;
      for (const each of done) each(failed);
    });
  }

  /** `unsent`: not a whole line can have reached the process, so it never acts on it. */
  #failed(reason: string, extent: "unsent" | "unknown"): SdkError {
    this.#isBroken = true;
    return new SdkError(SdkErrorCode.SendFailed, reason, extent);
  }
}

const BRACE = "{".charCodeAt(0);

/** One message a line, or several in a list, as 2025-03-26 had it; none where the line is something else. */
function messagesOf(line: string): readonly JSONRPCMessage[] {
  if (line.charCodeAt(0) !== BRACE && !/^\s*[{[]/.test(line)) return [];
  try {
    const value: unknown = JSON.parse(line);
    if (isMessage(value)) return [value];
    return (Array.isArray(value) ? value.slice(0, MAX_BATCH) : [value]).filter(isMessage);
  } catch {
    return [];
  }
}

/** An answer with mistakes is one still: somebody waits for it. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && (value.jsonrpc === "2.0" || ("id" in value && !("method" in value)));
}

/**
 * Ids of the requests that do not go through the SDK, which counts its own up from 0 and never gets this far. They are
 * numbers because some servers know no others, and small enough for the 32 bits that some give them.
 */
export const FIRST_OWN_ID = 2 ** 30;
export const LAST_OWN_ID = 2 ** 31 - 1;

function isOwnProgress(message: JSONRPCMessage): boolean {
  if (!("method" in message) || message.method !== PROGRESS) return false;
  const token = isRecord(message.params) ? Number(message.params.progressToken) : Number.NaN;
  return token >= FIRST_OWN_ID && token <= LAST_OWN_ID;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
