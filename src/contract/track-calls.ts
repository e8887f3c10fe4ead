import type { RunningCalls } from "../lib/flow/running-calls.ts";
import type { Tool } from "./tool.ts";

/** Returns the tool with calls that end when `running` is closed. */
export function trackCalls(tool: Tool, running: RunningCalls): Tool {
  const { run } = tool;
  return {
    ...tool,
    run: async (args, context) =>
      running.closed
        ? { kind: "unavailable", message: "Toolkeep is shutting down." }
        : running.follow(context.signal, (signal) => run(args, { ...context, signal })),
  };
}
