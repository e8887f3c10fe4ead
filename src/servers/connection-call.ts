import type { Caller } from "../contract/caller.ts";
import type { Answering, CallMeta, Notice, Progress, Rounds, ToolContext } from "../contract/tool.ts";
import type { FairQueue } from "../lib/flow/fair-queue.ts";
import { Stop } from "../lib/flow/stop.ts";
import type { InquiredCall } from "./connection/inquiries.ts";
import type { ServerRequest } from "./server-request.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** How one request is sent: what it asks, who calls, and where its progress goes. */
export interface ConnectionCall extends ServerRequest, InquiredCall {
  /** The same as `signal`. */
  readonly stop: Stop;
  readonly onProgress: (update: Progress) => void;
  readonly rounds?: Rounds;
  readonly meta?: CallMeta;
}

/** `queue`: where the call has its turn. */
export function connectionCall(what: ServerRequest, context: ToolContext, queue: Turns): ConnectionCall {
  return new ContextCall(what, context, queue);
}

type Turns = Pick<FairQueue, "pause" | "goOn">;

/** What is asked in one object with who asks; nothing of either is copied that is not needed at once. */
class ContextCall implements ConnectionCall {
  readonly method: ServerRequest["method"];
  readonly params: JsonObject;
  readonly resultOf: ServerRequest["resultOf"];
  readonly stop: Stop;
  readonly caller: Caller;
  readonly #what: ServerRequest;
  readonly #context: ToolContext;
  declare readonly tasks?: true;
  declare readonly answering?: Answering;
  declare readonly rounds?: Rounds;
  declare readonly onNotice?: (notice: Notice) => void;
  declare readonly logLevel?: string;
  declare readonly meta?: CallMeta;

  constructor(what: ServerRequest, context: ToolContext, queue: Turns) {
    this.method = what.method;
    this.params = what.params;
    this.resultOf = what.resultOf;
    this.stop = context.stop ?? Stop.of(context.signal);
    this.caller = context.caller;
    this.#what = what;
    this.#context = context;
    if (what.tasks) this.tasks = true;
    if (context.answering) this.answering = withoutTurn(context.answering, queue);
    if (context.rounds) this.rounds = context.rounds;
    if (context.onNotice) this.onNotice = context.onNotice;
    if (context.logLevel !== undefined) this.logLevel = context.logLevel;
    if (context.meta) this.meta = context.meta;
  }

  get inputSchema(): unknown {
    return this.#what.inputSchema;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get onProgress(): (update: Progress) => void {
    return this.#context.progress;
  }
}

/** Whoever does not answer must not keep the server from everybody else. */
function withoutTurn(answering: Answering, queue: Turns): Answering {
  let asked = 0;
  return {
    ...answering,
    async answer(inquiry, signal) {
      if (asked++ === 0) queue.pause();
      try {
        return await answering.answer(inquiry, signal);
      } finally {
        if (--asked === 0) queue.goOn();
      }
    },
  };
}
