import type { Readable } from "node:stream";
import type { Processes } from "../process/processes.ts";
import { HeadAndTail } from "./head-and-tail.ts";

export interface Command {
  readonly shell: string;
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface CommandResult {
  /** `ended` by itself, or why it was stopped. */
  readonly reason: "ended" | "timed_out" | "cancelled" | "flooded";
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
  readonly outputBytes: number;
}

/** A command that prints more than this is stopped: reading on would only keep the hub busy. */
export const MAX_PRINTED = 64 * 1024 * 1024;

/** Below the executor's three seconds of patience after a call was cancelled. */
const GRACE_MS = 1_000;
const DRAIN_MS = 1_000;

/** Runs a shell script to its end or its bounds. When this resolves nothing that it started is left running. */
export async function runCommand(
  processes: Processes,
  command: Command,
  signal: AbortSignal,
): Promise<CommandResult> {
  const { shell, script, cwd, env } = command;
  // With both streams on one pipe, their lines come in the order in which they were written.
  const tree = processes.spawn(shell, ["-c", `exec 2>&1\n${script}`], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kept = new HeadAndTail(command.maxOutputBytes);
  const streams = [tree.child.stdout, tree.child.stderr].filter((stream) => stream !== null);
  const stop = createStop(command.timeoutMs, signal);
  for (const stream of streams) {
    stream.on("data", (chunk: Buffer) => {
      kept.write(chunk);
      if (kept.total > MAX_PRINTED) {
        stream.pause();
        stop.now("flooded");
      }
    });
  }
  try {
    const reason = await Promise.race([tree.ended.then(() => "ended" as const), stop.reason]);
    await tree.end(GRACE_MS);
    await drained(streams);
    const { code, signal: endedBy } = await tree.ended;
    return { reason, code, signal: endedBy, output: kept.text(), outputBytes: kept.total };
  } finally {
    stop.close();
    for (const stream of streams) stream.destroy();
  }
}

type StopReason = Exclude<CommandResult["reason"], "ended">;

function createStop(timeoutMs: number, signal: AbortSignal) {
  let now: (why: StopReason) => void = () => {};
  const reason = new Promise<StopReason>((resolve) => {
    now = resolve;
  });
  const cancel = () => now("cancelled");
  const timer = setTimeout(() => now("timed_out"), timeoutMs);
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

/** What was printed last is still in the pipe when the process has ended; a pipe that somebody keeps open is left. */
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
