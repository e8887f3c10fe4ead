import { createSerial } from "../lib/serial.ts";
import type { Tool } from "../tool.ts";
import { type AttachDeps, attachFileTool } from "./attach-file.ts";
import { editFileTool, multiEditTool } from "./edit-file.ts";
import type { FileDeps } from "./file-deps.ts";
import { grepTool } from "./grep.ts";
import { type HumanDeps, notifyTool, promptHumanTool, promptSecretTool } from "./human.ts";
import { listDirectoryTool } from "./list-directory.ts";
import type { Native } from "./native.ts";
import { type ParentDeps, reportToParentTool, requestInputTool } from "./parent.ts";
import { readFileTool } from "./read-file.ts";
import { type ShellDeps, shellTool } from "./shell.ts";
import { type TaskDeps, updateTaskStatusTool } from "./tasks.ts";
import { thinkTool } from "./think.ts";
import { type TodoDeps, todosTool } from "./todos.ts";
import { writeFileTool } from "./write-file.ts";

export type NativeDeps = Omit<FileDeps, "serially"> &
  ShellDeps &
  TodoDeps &
  AttachDeps &
  HumanDeps &
  ParentDeps &
  TaskDeps;

/** The core floor: what every agent has, whatever its toolboxes. */
export function createNative(given: NativeDeps): Native {
  const deps = { ...given, serially: createSerial() };
  const running = new RunningCalls();
  const tools = [
    readFileTool(deps),
    writeFileTool(deps),
    editFileTool(deps),
    multiEditTool(deps),
    listDirectoryTool(deps),
    grepTool(deps),
    shellTool(deps),
    thinkTool(),
    todosTool(deps),
    attachFileTool(deps),
    notifyTool(deps),
    promptHumanTool(deps),
    promptSecretTool(deps),
    requestInputTool(deps),
    reportToParentTool(deps),
    updateTaskStatusTool(deps),
  ].map((tool) => ({ ...tool, run: running.follow(tool.run) }));

  return {
    name: "native",
    tools: () => tools,
    onChange: () => () => {},
    close: () => running.close(),
  };
}

type Run = Tool["run"];

/** Knows the calls under way, so that closing leaves none behind. */
class RunningCalls {
  readonly #calls = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  follow(run: Run): Run {
    return async (args, context) => {
      if (this.#closed) return { kind: "unavailable", message: "Toolkeep is shutting down." };
      const stop = new AbortController();
      const abort = () => stop.abort(context.signal.reason);
      if (context.signal.aborted) abort();
      context.signal.addEventListener("abort", abort);
      const call = run(args, { ...context, signal: stop.signal });
      this.#calls.set(stop, call);
      try {
        return await call;
      } finally {
        this.#calls.delete(stop);
        context.signal.removeEventListener("abort", abort);
      }
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls.keys()) call.abort();
    await Promise.allSettled(this.#calls.values());
  }
}
