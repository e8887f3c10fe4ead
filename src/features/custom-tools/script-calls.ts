import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { FairQueue } from "../../lib/flow/fair-queue.ts";
import { RunningCalls } from "../../lib/flow/running-calls.ts";

/** Each call is a process with a copy of its folder on disk. */
const MAX_RUNNING = 32;
/** Per agent. */
const MAX_WAITING = 100;

const CLOSING: ToolResult = {
  kind: "unavailable",
  message: "Toolkeep is shutting down.",
  isUnsent: true,
};

/** Limits concurrent script calls, takes agents in turn, and stops all calls on close. */
export class ScriptCalls {
  readonly #running = new RunningCalls();
  readonly #turns: FairQueue;

  constructor(maxRunning = MAX_RUNNING, maxWaiting = MAX_WAITING) {
    this.#turns = new FairQueue(() => maxRunning, maxWaiting);
  }

  /** Returns the tool with its calls limited and tracked. */
  track(tool: Tool): Tool {
    const { run } = tool;
    return { ...tool, run: (args, context) => this.#follow(context, (followed) => run(args, followed)) };
  }

  /** Stops running calls and resolves when they have ended. Waiting calls do not start. */
  async close(): Promise<void> {
    await this.#running.close();
  }

  async #follow(
    context: ToolContext,
    run: (context: ToolContext) => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const turn = await this.#turns.enter(context.caller.agentId, context.signal);
    if (!turn.ok)
      return { kind: "unavailable", message: `The script did not run: ${turn.error}.`, isUnsent: true };
    try {
      if (this.#running.closed) return CLOSING;
      return await this.#running.follow(context.signal, (signal) => run({ ...context, signal }));
    } finally {
      turn.value();
    }
  }
}
