import type { Readable, Writable } from "node:stream";
import { HeadAndTail } from "./head-and-tail.ts";
import type { Processes } from "./processes.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which then ends. Absent: no input. */
  readonly input?: string;
  /** Absent: only the signal ends it. */
  readonly timeoutMs?: number;
  /** How much is kept of each of its two streams, half of it from the beginning and half from the end. */
  readonly maxOutputBytes: number;
  /** See `SpawnOptions`; for a command in a sandbox. */
  readonly isConfined?: boolean;
  readonly onGone?: () => void;
  /** Takes out of an output that is cut what must not be shown, before that; absent: it is left to others. */
  readonly redact?: (text: string) => string;
}

export interface CommandResult {
  /** `ended` by itself, or why it was stopped. */
  readonly reason: "ended" | "timed_out" | "cancelled" | "flooded";
  /** Null, with a null `signal`, if it could not be started. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly outputBytes: number;
  /** Whether `output` lacks its middle. */
  readonly isCut: boolean;
  /** Its standard error. */
  readonly errors: string;
}

/** A command that prints more than this is stopped: reading on would only keep the hub busy. */
export const MAX_PRINTED = 64 * 1024 * 1024;

/** Below the executor's three seconds of patience after a call was cancelled. */
const GRACE_MS = 1_000;
const DRAIN_MS = 1_000;

/** Runs a command to its end or its bounds. When this resolves nothing that it started is left running. */
export async function runCommand(
  processes: Processes,
  command: Command,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { file, args, cwd, env, input, maxOutputBytes, redact, isConfined, onGone } = command;
  const stdin = input === undefined ? "ignore" : "pipe";
  const tree = processes.spawn(file, args, {
    cwd,
    env,
    stdio: [stdin, "pipe", "pipe"],
    ...(isConfined && { isConfined }),
    ...(onGone && { onGone }),
  });
  const { stdout, stderr } = tree.child;
  const [output, errors] = [new HeadAndTail(maxOutputBytes, redact), new HeadAndTail(maxOutputBytes, redact)];
  const stop = createStop(command.timeoutMs, signal);
  const isFlooded = () => output.total + errors.total > MAX_PRINTED;
  const keep = (stream: Readable | null, kept: HeadAndTail) => {
    stream?.on("data", (chunk: Buffer) => {
      kept.write(chunk);
      if (!isFlooded()) return;
      stream.pause();
      stop.now("flooded");
    });
  };
  keep(stdout, output);
  keep(stderr, errors);
  if (tree.child.stdin) give(tree.child.stdin, input ?? "");
  const streams = [stdout, stderr].filter((stream) => stream !== null);
  try {
    const reason = await Promise.race([tree.ended.then(() => "ended" as const), stop.reason]);
    await tree.end(GRACE_MS);
    await drained(streams);
    const { code, signal: endedBy } = await tree.ended;
    return {
      reason,
      code,
      signal: endedBy,
      output: output.text(),
      outputBytes: output.total,
      isCut: output.dropped > 0,
      errors: errors.text(),
    };
  } finally {
    stop.close();
    for (const stream of streams) stream.destroy();
    tree.child.stdin?.destroy();
  }
}

/** A command may end, or close its input, without having read it. */
function give(stdin: Writable, input: string): void {
  stdin.on("error", () => undefined);
  stdin.end(input);
}

type StopReason = Exclude<CommandResult["reason"], "ended">;

function createStop(timeoutMs: number | undefined, signal: AbortSignal) {
  let now: (why: StopReason) => void = () => {};
  const reason = new Promise<StopReason>((resolve) => {
    now = resolve;
  });
  const cancel = () => now("cancelled");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => now("timed_out"), timeoutMs);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  return {
    reason,
    now,
    close() {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

/** The last output is still in the pipe when the process has ended. A pipe that another process keeps open is left. */
async function drained(streams: readonly Readable[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS);
  });
  const ends = streams
    .filter((stream) => !stream.readableEnded && !stream.isPaused())
    .map((stream) => new Promise((resolve) => stream.once("close", resolve)));
  await Promise.race([Promise.all(ends), enough]);
  clearTimeout(timer);
}
