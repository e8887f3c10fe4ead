import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { FairQueue } from "../../lib/flow/fair-queue.ts";
import { RunningCalls } from "../../lib/flow/running-calls.ts";

/** Each is a process, with a copy of its folder on the disk. */
const MAX_RUNNING = 32;
/** Of one agent. */
const MAX_WAITING = 100;

const CLOSING: ToolResult = {
  kind: "unavailable",
  message: "Toolkeep is shutting down.",
  isUnsent: true,
};

/** The calls of scripts: so many at once, agents in turn, none left behind at the end. */
export class ScriptCalls {
  readonly #running = new RunningCalls();
  readonly #turns: FairQueue;

  constructor(maxRunning = MAX_RUNNING, maxWaiting = MAX_WAITING) {
    this.#turns = new FairQueue(() => maxRunning, maxWaiting);
  }

  /** The same tool, whose calls are among these. */
  counted(tool: Tool): Tool {
    const { run } = tool;
    return { ...tool, run: (args, context) => this.#follow(context, (followed) => run(args, followed)) };
  }

  /** Stops what runs and resolves when all of it has ended; what waits for its turn does not begin. */
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
