/** A thread of `indexCaller`, which opens the index and is the only one to use it. The thread is started from this file, so a build must contain it. */
import { workerData } from "node:worker_threads";
import { serveCalls } from "../../../lib/worker-rpc.ts";
import {
  type IndexMethods,
  type IndexPlace,
  type IndexWork,
  openIndexWork,
  type ThreadRole,
} from "./index-work.ts";

/** The data that the thread is started with. */
export interface ThreadSetup {
  readonly role: ThreadRole;
  readonly place: IndexPlace;
}

const { role, place } = workerData as ThreadSetup;
/** Opened by the first request, and again after a failure. */
let opening: Promise<IndexWork> | undefined;

serveCalls<IndexMethods>(
  async () => {
    opening ??= openIndexWork(role, place);
    const { works } = await opening.catch((error) => {
      opening = undefined;
      throw error;
    });
    return works;
  },
  async () => opening?.then((work) => work.close()).catch(() => {}),
);
