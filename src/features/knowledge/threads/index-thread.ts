/** What runs in a thread of `indexCaller`: the index, opened there and used nowhere else. It is started from its file, which a build must therefore have. */
import { workerData } from "node:worker_threads";
import { serveCalls } from "../../../lib/worker-rpc.ts";
import {
  type IndexMethods,
  type IndexPlace,
  type IndexWork,
  openIndexWork,
  type ThreadRole,
} from "./index-work.ts";

/** What it is started with. */
export interface ThreadSetup {
  readonly role: ThreadRole;
  readonly place: IndexPlace;
}

const { role, place } = workerData as ThreadSetup;
/** Opened by whoever asks first, and anew where that failed. */
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
