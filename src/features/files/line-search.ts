import { Worker } from "node:worker_threads";
import { WorkerThread } from "../../lib/worker-rpc.ts";
import { GREP_WORKER } from "./grep-worker.ts";

export interface GrepLine {
  readonly number: number;
  /** False for a context line. */
  readonly match: boolean;
  readonly text: string;
}

export interface FileMatches {
  readonly lines: readonly GrepLine[];
  /** Whether there are more than `max` matching lines. */
  readonly more: boolean;
}

/** Searches lines in another thread, because a regular expression can run forever. */
export interface LineSearch {
  /** One search at a time. Undefined if it was stopped or ran out of memory. Transfers the bytes to the thread. */
  search(bytes: Uint8Array, options: { context: number; max: number }): Promise<FileMatches | undefined>;
  /** Ends the thread, even in the middle of a match. */
  close(): Promise<void>;
}

/** A line from the worker. `around` is the text on both sides of the part of a long line. */
interface WorkerLine extends GrepLine {
  readonly around?: { readonly before: string; readonly after: string };
}

interface GrepMethods {
  search(
    bytes: Uint8Array,
    options: { context: number; max: number; maxLine: number; margin: number },
  ): { readonly more: boolean; readonly lines: readonly WorkerLine[] };
}

const MAX_LINE = 400;
/** A secret up to this length is recognised even if the cut goes through it. */
const MARGIN = 4_096;

/** `redact` is applied to long lines before they are cut, because a cut could leave half a secret. */
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

function renderLine({ around, ...line }: WorkerLine, redact: (text: string) => string): GrepLine {
  if (!around) return line;
  const { before, after } = around;
  const whole = redact(before + line.text + after);
  const text = whole.slice(before.length, whole.length - after.length);
  return { ...line, text: `${before === "" ? "" : "…"}${text}${after === "" ? "" : "…"}` };
}
