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
  /** See SpawnOptions; for a server in a sandbox. */
  readonly isConfined?: boolean;
  readonly onGone?: () => void;
}

const STDERR_BYTES = 64 * 1024;
/** Further notifications are dropped, except progress, which somebody waits for. */
const NOTIFICATIONS_PER_SECOND = 2000;
export const PROGRESS = "notifications/progress";
/** Above this rate a server is read more slowly, whatever its lines contain. */
const LINES_PER_SECOND = 20_000;
const FLOOD_PAUSE_MS = 100;
const DRAIN_PAUSE_MS = 2;
const MAX_BATCH = 1000;
/** How long a server may take to exit after its input is closed, as MCP requires. */
const FAREWELL_MS = 500;

/**
 * MCP over the pipes of a child process, one JSON message per line. Other output is skipped and counted; a message over
 * `maxMessageBytes` ends the connection and with it the whole process tree.
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
  readonly #onLine = (line: string) => this.#handleLine(line);
  #inbox: JSONRPCMessage[] = [];
  #isPausing = false;
  readonly #notifications = new Rate(NOTIFICATIONS_PER_SECOND);
  readonly #lines = new Rate(LINES_PER_SECOND);
  #isFlood = false;
  #stderr = Buffer.alloc(0);
  #junkLines = 0;
  #fault: string | undefined;
  #exitReason: string | undefined;
  #isClosing = false;
  #isClosed = false;

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

  /** The SDK treats a transport with `pid` and `stderr` as a pipe, where a silent server is assumed to be a legacy one. */
  get pid(): number | null {
    return this.#tree?.pid ?? null;
  }

  get stderr(): null {
    return null;
  }

  /** The number of lines on stdout that were no message. */
  get junkLines(): number {
    return this.#junkLines;
  }

  /** Why the connection ended or failed, for people; undefined while nothing went wrong. */
  get ending(): string | undefined {
    return this.#fault ?? this.#exitReason;
  }

  /** The last complete lines of stderr. A cut line is dropped, because a secret in it would not be recognised. */
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
    if (tree.child.stderr) this.#collectStderr(tree.child.stderr);
    if (tree.child.stdin) {
      tree.child.stdin.on("error", () => {}); // a closed pipe shows as the process's end
      this.#writer = new LineWriter(tree.child.stdin, this.#maxMessageBytes);
    }
    void this.#watch(tree);
    if (tree.pid === 0) throw await this.#waitForStartError(tree);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.post(JSON.stringify(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Sends a message that is already JSON; `done` gets the outcome. For `isAlone` see `LineWriter.post`. */
  post(message: string, done: (error?: SdkError) => void, isAlone = false): void {
    if (this.#writer) this.#writer.post(message, done, isAlone);
    else done(new SdkError(SdkErrorCode.SendFailed, "its process has not been started", "unsent"));
  }

  /** Resolves once the outcome of every send is known. */
  async waitUntilWritten(): Promise<void> {
    await this.#writer?.waitUntilWritten();
  }

  async close(): Promise<void> {
    const tree = this.#tree;
    if (tree) {
      // After a broken pipe the process is about to exit by itself; its exit code is worth the wait.
      if (this.#writer?.isBroken) await Promise.race([tree.ended, delay(FAREWELL_MS)]);
      this.#isClosing = true;
      tree.child.stdin?.end();
      await Promise.race([tree.ended, delay(FAREWELL_MS)]);
      await tree.end();
    }
    this.#finish();
  }

  async #watch(tree: ProcessTree): Promise<void> {
    const drained = new Promise<void>((resolve) => tree.child.once("close", () => resolve()));
    const { code, signal } = await tree.ended;
    if (!this.#isClosing) this.#exitReason = `its process ended (${signal ?? `exit code ${code}`})`;
    // Its last output may still be in the pipe, and a stray grandchild may keep the pipe open.
    await Promise.race([drained, tree.end().then(() => delay(FAREWELL_MS))]);
    while (this.#inbox.length > 0) await delay(DRAIN_PAUSE_MS);
    this.#finish();
  }

  #waitForStartError(tree: ProcessTree): Promise<Error> {
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

  #collectStderr(stderr: Readable): void {
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
    if (!this.#fault && !this.#splitter.write(chunk, this.#onLine)) this.#rejectOversized();
    // A flood of junk must leave time for everything else.
    if (!this.#isPausing && (this.#isFlood || this.#junkLines > junkBefore)) this.#pause();
  }

  #rejectOversized(): void {
    this.#fault = `it sent a message of more than ${this.#maxMessageBytes} bytes`;
    this.onerror?.(new Error(this.#fault));
    this.#tree?.child.stdout?.destroy();
    void this.close();
  }

  #handleLine(line: string): void {
    this.#isFlood ||= !this.#lines.take();
    const messages = parseMessages(line);
    if (messages.length === 0 && line.trim() !== "") {
      this.#junkLines++;
      this.#log?.addJunk(line);
    }
    for (const message of messages) {
      if (this.#isPausing || this.#inbox.length > 0) this.#inbox.push(message);
      else this.#receive(message);
    }
  }

  /**
   * The SDK handles a notification after the current task but an answer at once. Without a pause between them, the answer
   * would overtake the server's last notification of a call, which would be lost.
   */
  #emptyInbox(): void {
    while (this.#inbox.length > 0 && !this.#isPausing) this.#receive(this.#inbox.shift()!);
  }

  #receive(message: JSONRPCMessage): void {
    const isNotification = "method" in message && !("id" in message);
    if (isNotification && message.method !== PROGRESS && !this.#notifications.take()) return;
    this.onmessage?.(message);
    if (isNotification && !isOwnProgress(message)) this.#pause();
  }

  #pause(): void {
    const stdout = this.#tree?.child.stdout;
    this.#isPausing = true;
    stdout?.pause();
    const resume = () => {
      this.#isPausing = false;
      this.#emptyInbox();
      if (!this.#isPausing) stdout?.resume();
    };
    if (this.#isFlood) setTimeout(resume, FLOOD_PAUSE_MS).unref();
    else setImmediate(resume);
    this.#isFlood = false;
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

/** Called once, with whether a line was sent. */
type OnSent = (error?: SdkError) => void;

interface QueuedLine {
  readonly line: string;
  readonly done: OnSent;
}

/**
 * Writes lines to the input of a process. Lines posted in the same tick leave in one write, which costs as much for many
 * lines as for one; while lines come one by one, each leaves at once.
 */
export class LineWriter {
  readonly #input: Writable;
  readonly #maxBytes: number;
  #outbox: QueuedLine[] = [];
  #outboxChars = 0;
  /** Within this tick. */
  #postedCount = 0;
  #isBusy = false;
  #writing = 0;
  #isBroken = false;

  /** `maxBytes` limits how much may wait for a process that does not read. */
  constructor(input: Writable, maxBytes: number) {
    this.#input = input;
    this.#maxBytes = maxBytes;
  }

  /** Whether a write has failed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** `line` has no line break. `isAlone` says that no other line is expected meanwhile, so no tick needs to be scheduled. */
  post(line: string, done: OnSent, isAlone = false): void {
    const { writable, writableLength } = this.#input;
    if (!writable) done(this.#createError("its input is closed", "unsent"));
    else if (writableLength + this.#outboxChars > this.#maxBytes)
      done(this.#createError("it does not read its input", "unsent"));
    else if (isAlone && this.#outbox.length === 0) this.#write(`${line}\n`, [done]);
    else {
      if (this.#postedCount++ === 0) setImmediate(this.#flush);
      if (this.#postedCount > 1 || this.#isBusy) {
        this.#outbox.push({ line, done });
        this.#outboxChars += line.length;
      } else this.#write(`${line}\n`, [done]);
    }
  }

  /** Resolves once every callback has been called. */
  async waitUntilWritten(): Promise<void> {
    while (this.#writing > 0 || this.#outbox.length > 0) await delay(DRAIN_PAUSE_MS);
  }

  readonly #flush = (): void => {
    // Several lines in one tick make several in the next one likely.
    this.#isBusy = this.#postedCount > 1;
    this.#postedCount = 0;
    const queued = this.#outbox;
    if (queued.length === 0) return;
    this.#outbox = [];
    this.#outboxChars = 0;
    if (!this.#input.writable) {
      for (const { done } of queued) done(this.#createError("its input is closed", "unsent"));
      return;
    }
    let lines = "";
    for (const { line } of queued) lines += `${line}\n`;
    this.#write(
      lines,
      queued.map(({ done }) => done),
    );
  };

  #write(lines: string, done: readonly OnSent[]): void {
    // The error of a combined write does not say which lines had already left.
    const certainty = this.#input.writableLength === 0 && done.length === 1 ? "unsent" : "unknown";
    this.#writing++;
    this.#input.write(lines, (error) => {
      this.#writing--;
      const failure = error ? this.#createError(error.message, certainty) : undefined;
      for (const each of done) each(failure);
    });
  }

  /** `unsent` says that no complete line can have reached the process, so it never acts on it. */
  #createError(reason: string, certainty: "unsent" | "unknown"): SdkError {
    this.#isBroken = true;
    return new SdkError(SdkErrorCode.SendFailed, reason, certainty);
  }
}

const BRACE = "{".charCodeAt(0);

/** Parses one message, or several in a list as in 2025-03-26; none if the line is something else. */
function parseMessages(line: string): readonly JSONRPCMessage[] {
  if (line.charCodeAt(0) !== BRACE && !/^\s*[{[]/.test(line)) return [];
  try {
    const value: unknown = JSON.parse(line);
    if (isMessage(value)) return [value];
    return (Array.isArray(value) ? value.slice(0, MAX_BATCH) : [value]).filter(isMessage);
  } catch {
    return [];
  }
}

/** A malformed answer counts, because somebody waits for it. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && (value.jsonrpc === "2.0" || ("id" in value && !("method" in value)));
}

/**
 * Ids of requests that bypass the SDK, which counts its own from 0 and never gets this far. Numbers, because some servers
 * accept no others, and small enough for the 32 bits that some store them in.
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
