import type { Tool, ToolCall, ToolOutcome } from "../tool.ts";

/** What a model asks for in one turn. */
export type TurnCall = Pick<ToolCall, "name" | "arguments" | "signal" | "onProgress">;

type CallTool = (call: TurnCall) => Promise<ToolOutcome>;

/** One turn of a model: the tools it is shown, and the calls that come back. */
export class Turn {
  /** As of the beginning of the turn, sorted by name. */
  readonly tools: readonly Tool[];
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #maxConcurrency: number;
  readonly #callTool: CallTool;

  constructor(tools: readonly Tool[], maxConcurrency: number, callTool: CallTool) {
    this.tools = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#maxConcurrency = maxConcurrency;
    this.#callTool = callTool;
  }

  /** Never rejects for what a model, a server or a person can cause. */
  call(call: TurnCall): Promise<ToolOutcome> {
    return this.#callTool(call);
  }

  /**
   * Makes the calls of one step. Adjacent ones that may run beside others do, the rest one by one; the outcomes are
   * in the order of the calls. One that fails does not stop its neighbours.
   */
  async callAll(calls: readonly TurnCall[]): Promise<readonly ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    for (const batch of this.#batches(calls)) {
      outcomes.push(...(await Promise.all(batch.map((call) => this.call(call)))));
    }
    return outcomes;
  }

  #batches(calls: readonly TurnCall[]): TurnCall[][] {
    const batches: TurnCall[][] = [];
    let isOpen = false;
    for (const call of calls) {
      const isSafe = this.#byName.get(call.name)?.flags.concurrencySafe === true;
      const last = batches.at(-1);
      if (isSafe && isOpen && last && last.length < this.#maxConcurrency) last.push(call);
      else batches.push([call]);
      isOpen = isSafe;
    }
    return batches;
  }
}
