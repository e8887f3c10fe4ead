import { Worker } from "node:worker_threads";
import { WorkerThread } from "../../lib/worker-rpc.ts";
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

/** What the worker says of a line; `around` is what stands at the two sides of a part of one that is too long. */
interface WorkerLine extends FoundLine {
  readonly around?: { readonly before: string; readonly after: string };
}

interface GrepMethods {
  search(
    bytes: Uint8Array,
    options: { context: number; max: number; maxLine: number; margin: number },
  ): { readonly more: boolean; readonly lines: readonly WorkerLine[] };
}

const MAX_LINE = 400;
/** A secret up to this length is seen whole, also where the cut goes through it. */
const MARGIN = 4_096;

/** `redact` is applied to long lines, of which otherwise half a secret could be left. */
export function startLineSearch(
  pattern: string,
  flags: string,
  redact: (text: string) => string,
): LineSearch {
  const start = () =>
    new Worker(GREP_WORKER, {
      eval: true,
      workerData: { pattern, flags },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
  const thread = new WorkerThread<GrepMethods>({ start, endingMs: 0 });
  return {
    async search(bytes, { context, max }) {
      // A small file may share its buffer with others.
      const transfer = bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [];
      const options = { context, max, maxLine: MAX_LINE, margin: MARGIN };
      try {
        const { more, lines } = await thread.call("search", [bytes, options], { transfer });
        return { more, lines: lines.map((line) => renderLine(line, redact)) };
      } catch {
        await thread.close();
        return undefined;
      }
    },
    close: () => thread.close(),
  };
}

function renderLine({ around, ...line }: WorkerLine, redact: (text: string) => string): FoundLine {
  if (!around) return line;
  const { before, after } = around;
  const whole = redact(before + line.text + after);
  const text = whole.slice(before.length, whole.length - after.length);
  return { ...line, text: `${before === "" ? "" : "…"}${text}${after === "" ? "" : "…"}` };
}
