import { Worker } from "node:worker_threads";
import { GREP_WORKER } from "./grep-worker.ts";

export interface FoundLine {
  readonly number: number;
  /** False for a line that is only a neighbour of one that matches. */
  readonly match: boolean;
  readonly text: string;
}

export interface FileMatches {
  readonly lines: readonly FoundLine[];
  /** There are more matching lines than `max`. */
  readonly more: boolean;
}

/** Searches lines outside this thread, since a regular expression can take for ever. */
export interface LineSearch {
  /** One at a time. Undefined when the search was stopped or ran out of memory. The bytes are handed over. */
  search(bytes: Uint8Array, options: { context: number; max: number }): Promise<FileMatches | undefined>;
  /** Ends the thread, also in the middle of a match. */
  close(): Promise<void>;
}

const MAX_LINE = 400;

export function startLineSearch(pattern: string, flags: string): LineSearch {
  const worker = new Worker(GREP_WORKER, {
    eval: true,
    workerData: { pattern, flags },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let answer: ((matches: FileMatches | undefined) => void) | undefined;
  let ended = false;
  const end = () => {
    ended = true;
    answer?.(undefined);
  };
  worker.on("message", (matches: FileMatches) => answer?.(matches));
  worker.on("error", end);
  worker.on("exit", end);

  return {
    search(bytes, { context, max }) {
      if (ended) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        answer = resolve;
        worker.postMessage({ bytes, context, max, maxLine: MAX_LINE });
      });
    },
    async close() {
      await worker.terminate();
    },
  };
}
