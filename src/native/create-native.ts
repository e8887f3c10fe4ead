import { RunningCalls } from "../lib/running-calls.ts";
import { createSerial } from "../lib/serial.ts";
import type { TaskDeps } from "./assigned-tasks.ts";
import { type AttachDeps, attachFileTool } from "./attach-file.ts";
import { editFileTool, multiEditTool } from "./edit-file.ts";
import type { FileDeps } from "./file-deps.ts";
import { followed } from "./followed.ts";
import { grepTool } from "./grep.ts";
import { type HumanDeps, notifyTool, promptHumanTool, promptSecretTool } from "./human.ts";
import { listDirectoryTool } from "./list-directory.ts";
import type { Native } from "./native.ts";
import { type ParentDeps, reportToParentTool, requestInputTool } from "./parent.ts";
import { readFileTool } from "./read-file.ts";
import { type OutputDeps, readToolOutputTool } from "./read-tool-output.ts";
import { type ShellDeps, shellTool } from "./shell.ts";
import { updateTaskStatusTool } from "./tasks.ts";
import { thinkTool } from "./think.ts";
import { type TodoDeps, todosTool } from "./todos.ts";
import { writeFileTool } from "./write-file.ts";

export type NativeDeps = Omit<FileDeps, "serially"> &
  ShellDeps &
  TodoDeps &
  AttachDeps &
  HumanDeps &
  ParentDeps &
  TaskDeps &
  OutputDeps;

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
    readToolOutputTool(deps),
  ].map((tool) => followed(tool, running));

  return {
    name: "native",
    tools: () => tools,
    onChange: () => () => {},
    close: () => running.close(),
  };
}
