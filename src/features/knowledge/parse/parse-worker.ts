/** The thread that reads untrusted files. It is watched and replaced from outside, so nothing here limits time or memory. */
import { workerData } from "node:worker_threads";
import { createSerial } from "../../../lib/flow/serial.ts";
import { sendNotice, serveCalls } from "../../../lib/worker-rpc.ts";
import { readFileJob } from "./read-file.ts";
import type { ReadDocument, ReadEnd, ReadJob } from "./read-job.ts";
import { lowerPriority, taskOfThread } from "./thread-cpu.ts";

/** The requests that the thread handles. Its only notice is `taskOfThread`. */
export interface ParseMethods {
  /** Its parts are `MembersRead`; the next comes when one was taken. `number` is what `ReadingPosition` names the job by. */
  read(number: number, job: ReadJob): ReadEnd;
}

export interface MembersRead {
  readonly members: readonly ReadDocument[];
  /** See `MembersTaken`. */
  readonly next: number;
}

/** The current job number and member (or -1), for the watcher, which cannot ask this thread while it is busy. */
export type ReadingPosition = Int32Array;

const position = workerData as ReadingPosition;
const serial = createSerial();
const task = taskOfThread();

lowerPriority();
if (task !== undefined) sendNotice(task);
serveCalls<ParseMethods>({
  read: ([number, job], { sendPart }) =>
    serial("read", async () => {
      position.set([number, -1]);
      return readFileJob(job, {
        onMembers: (members, next) => sendPart({ members, next } satisfies MembersRead),
        onMember(at) {
          position[1] = at;
        },
      });
    }),
});
