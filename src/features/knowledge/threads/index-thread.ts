/** What runs in a thread of `IndexThread`: the index, opened there and used nowhere else. It is started from its file, which a build must therefore have. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import { type IndexPlace, type IndexWork, openIndexWork, type ThreadRole } from "./index-work.ts";

/** What it is started with. */
export interface ThreadSetup {
  readonly role: ThreadRole;
  readonly place: IndexPlace;
}

export type ToThread =
  | { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | "end";
export type FromThread =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly told: unknown }
  | { readonly id: number; readonly failure: Failure };

/** An error, as far as it can be sent. */
export interface Failure {
  /** Undefined: a bug. */
  readonly code: string | undefined;
  readonly message: string;
  readonly stack: string | undefined;
}

const port = parentPort!;
const say = (message: FromThread) => port.postMessage(message);
const { role, place } = workerData as ThreadSetup;
/** Opened by whoever asks first, and anew where that failed. */
let opening: Promise<IndexWork> | undefined;
const running = new Set<Promise<void>>();

port.on("message", (message: ToThread) => {
  if (message === "end") void end();
  else {
    const answered = answer(message.id, message.name, message.args).finally(() => running.delete(answered));
    running.add(answered);
  }
});

async function answer(id: number, name: string, args: readonly unknown[]): Promise<void> {
  try {
    opening ??= openIndexWork(role, place);
    const { works } = await opening.catch((error) => {
      opening = undefined;
      throw error;
    });
    say({ id, value: await works[name]!(args as never, (told) => say({ id, told })) });
  } catch (error) {
    const code = error instanceof ToolkeepError ? error.code : undefined;
    say({ id, failure: { code, message: messageOf(error), stack: (error as Error).stack } });
  }
}

/** What has begun is finished first. */
async function end(): Promise<void> {
  await Promise.all(running);
  await opening?.then((work) => work.close()).catch(() => {});
  port.close();
}
