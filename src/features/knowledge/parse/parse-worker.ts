/** What runs in the thread that reads files of strangers. It is watched and replaced, so nothing here limits time or memory. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { readFileJob } from "./read-file.ts";
import type { ReadDocument, ReadEnd, ReadJob } from "./read-job.ts";

export type ToParser =
  | { readonly type: "read"; readonly id: number; readonly job: ReadJob }
  /** The members were taken; the next may come. */
  | { readonly type: "more"; readonly id: number };

export type FromParser =
  /** Where Linux tells of this thread, below `/proc`. */
  | { readonly type: "started"; readonly task: string }
  | {
      readonly type: "members";
      readonly id: number;
      readonly members: readonly ReadDocument[];
      /** See `MembersTaken`. */
      readonly next: number;
    }
  | { readonly type: "end"; readonly id: number; readonly end: ReadEnd };

/** What is read now, for who watches while this thread can say nothing: the id of a job, and the member of its file or -1. */
export type Place = Int32Array;

const port = parentPort!;
const place = workerData as Place;
const more = new Map<number, () => void>();
let work: Promise<void> = Promise.resolve();

lowerPriority();
tellTask();
port.on("message", (message: ToParser) => {
  if (message.type === "more") more.get(message.id)?.();
  else work = work.then(() => read(message.id, message.job));
});

async function read(id: number, job: ReadJob): Promise<void> {
  place.set([id, -1]);
  const end = await readFileJob(job, {
    onMembers(members, next) {
      port.postMessage({ type: "members", id, members, next } satisfies FromParser);
      return new Promise<void>((resolve) => more.set(id, resolve));
    },
    onMember(at) {
      place[1] = at;
    },
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

function tellTask(): void {
  if (process.platform !== "linux") return;
  try {
    port.postMessage({ type: "started", task: readlinkSync("/proc/thread-self") } satisfies FromParser);
  } catch {
    // There is no /proc.
  }
}
