/** What runs in the thread that reads files of strangers. It is watched and replaced, so nothing here limits time or memory. */
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { readFileJob } from "./read-file.ts";
import type { ReadDocument, ReadEnd, ReadJob } from "./read-job.ts";

export type ToParser =
  | { readonly type: "read"; readonly id: number; readonly job: ReadJob }
  /** The members were taken; the next may come. */
  | { readonly type: "more"; readonly id: number };

export type FromParser =
  | { readonly type: "members"; readonly id: number; readonly members: readonly ReadDocument[] }
  | { readonly type: "end"; readonly id: number; readonly end: ReadEnd };

const port = parentPort!;
const more = new Map<number, () => void>();
let work: Promise<void> = Promise.resolve();

lowerPriority();
port.on("message", (message: ToParser) => {
  if (message.type === "more") more.get(message.id)?.();
  else work = work.then(() => read(message.id, message.job));
});

async function read(id: number, job: ReadJob): Promise<void> {
  const end = await readFileJob(job, (members) => {
    port.postMessage({ type: "members", id, members } satisfies FromParser);
    return new Promise<void>((resolve) => more.set(id, resolve));
  });
  more.delete(id);
  port.postMessage({ type: "end", id, end } satisfies FromParser);
}

/** On Linux 0 means this thread, so whoever waits for an answer of the process comes first; elsewhere it would mean all of it. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Some containers forbid it.
  }
}
