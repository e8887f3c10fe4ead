import { type BatchOptions, MAX_BATCH_CALLS } from "../executor/batch.ts";
import type { Tool, ToolCall, ToolOutcome } from "../tool.ts";

/** What a model asks for in one turn. */
export type TurnCall = Pick<ToolCall, "name" | "arguments" | "signal" | "onProgress">;

/** How the calls of a turn are made. */
export interface Calling {
  callTool(call: TurnCall): Promise<ToolOutcome>;
  callBatch(calls: readonly TurnCall[], options: BatchOptions): Promise<readonly ToolOutcome[]>;
}

/** One turn of a model: the tools it is shown, and the calls that come back. */
export class Turn {
  /** As of the beginning of the turn, sorted by name. */
  readonly tools: readonly Tool[];
  readonly #calling: Calling;

  constructor(tools: readonly Tool[], calling: Calling) {
    this.tools = tools;
    this.#calling = calling;
  }

  /** Never rejects for what a model, a server or a person can cause. */
  call(call: TurnCall): Promise<ToolOutcome> {
    return this.#calling.callTool(call);
  }

  /**
   * Makes the calls of one step. Adjacent ones that may run beside others do, the rest one by one; the outcomes are
   * in the order of the calls. One that fails does not stop its neighbours.
   */
  async callAll(calls: readonly TurnCall[], options: BatchOptions = {}): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    // A model may ask for more than one batch takes.
    for (let start = 0; start < calls.length; start += MAX_BATCH_CALLS) {
      const batch = calls.slice(start, start + MAX_BATCH_CALLS);
      outcomes.push(...(await this.#calling.callBatch(batch, options)));
    }
    return outcomes;
  }
}
