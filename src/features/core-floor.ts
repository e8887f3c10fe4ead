import type { ClosableSource } from "../contract/tool.ts";
import { trackCalls } from "../contract/track-calls.ts";
import { RunningCalls } from "../lib/flow/running-calls.ts";
import { createSerial } from "../lib/flow/serial.ts";
import { type OutputDeps, readToolOutputTool } from "./aids/read-tool-output.ts";
import { thinkTool } from "./aids/think.ts";
import { type TodoDeps, todosTool } from "./aids/todos.ts";
import { editFileTool, multiEditTool } from "./files/edit-file.ts";
import type { FileDeps } from "./files/file-deps.ts";
import { grepTool } from "./files/grep.ts";
import { listDirectoryTool } from "./files/list-directory.ts";
import { readFileTool } from "./files/read-file.ts";
import { writeFileTool } from "./files/write-file.ts";
import { type AttachDeps, attachFileTool } from "./people/attach-file.ts";
import { type HumanDeps, notifyTool, promptHumanTool, promptSecretTool } from "./people/human.ts";
import { type ShellDeps, shellTool } from "./shell/shell.ts";

export type NativeDeps = Omit<FileDeps, "serially"> &
  ShellDeps &
  TodoDeps &
  AttachDeps &
  HumanDeps &
  OutputDeps;

/** The core floor: the tools that every agent has, whatever its toolboxes. */
export function createNative(given: NativeDeps): ClosableSource {
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
    readToolOutputTool(deps),
  ].map((tool) => trackCalls(tool, running));

  return {
    name: "native",
    tools: () => tools,
    onChange: () => () => {},
    close: () => running.close(),
  };
}
