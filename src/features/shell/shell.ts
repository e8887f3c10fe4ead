import { access, lstat } from "node:fs/promises";
import { defineTool, failed, output } from "../../contract/define-native-tool.ts";
import { type Tool, type ToolContext, type ToolResult, text } from "../../contract/tool.ts";
import { withHeartbeat } from "../../lib/flow/heartbeat.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { holdFolder } from "../../machine/files/held-folder.ts";
import { openWorkspace, quoted, type Workspace } from "../../machine/files/workspace.ts";
import { confinedCommand, isMasked } from "../../machine/process/confined-command.ts";
import { childEnvironment } from "../../machine/process/environment.ts";
import type { Processes } from "../../machine/process/processes.ts";
import { type CommandResult, MAX_PRINTED, runCommand } from "../../machine/process/run-command.ts";
import type { ProgramStart, Sandbox } from "../../machine/process/sandbox.ts";

export interface ShellDeps {
  readonly home: string;
  readonly settings: () => Pick<Settings, "shell">;
  readonly processes: Processes;
  readonly sandbox: Sandbox;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** Variables with such a value are not passed to commands. */
  readonly isSecret: (value: string) => boolean;
  readonly redact: (text: string) => string;
}

interface Args {
  readonly command: string;
  readonly timeout_ms?: number;
  readonly cwd?: string;
}

const MAX_TIMEOUT_MS = 600_000;
/** Below the executor's cap, so that a command stopped at the maximum still shows its output. */
const MAX_RUN_MS = MAX_TIMEOUT_MS - 5_000;
/** The kernel accepts no longer single argument. */
const MAX_COMMAND = 100_000;

export function shellTool(deps: ShellDeps): Tool {
  const tool = defineTool<Args>({
    name: "run_shell",
    title: "Run a shell command",
    domain: "shell",
    description:
      "Run a command with bash (sh where there is no bash) in the workspace and wait for it to end. Answers standard output and standard error together, and the exit code. " +
      "There is no terminal and no standard input. Background processes end with the command. " +
      "A command has a time limit, and of a long output only the beginning and the end are kept: redirect it to a file to read all of it.",
    properties: {
      command: {
        type: "string",
        minLength: 1,
        maxLength: MAX_COMMAND,
        description: "The command line, or a script of several lines.",
      },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description:
          "Stop the command after this many milliseconds; at most 600000. Without it the host's limit applies.",
      },
      cwd: {
        type: "string",
        description: "The folder to run in, relative to the workspace or absolute inside a granted folder.",
      },
    },
    required: ["command"],
    flags: { destructive: true },
    scope: "shell",
    timeoutMs: MAX_TIMEOUT_MS,
    run: (args, context) => run(deps, args, context),
  });
  // Evaluated for every call, because the settings can change.
  const labels = () => (hasUntrustedOutput(deps) ? ["untrusted_content"] : undefined);
  return Object.defineProperty(tool, "labels", { get: labels, enumerable: true });
}

/** Whether the output of a command may come from untrusted sources. */
function hasUntrustedOutput({ settings, sandbox }: Pick<ShellDeps, "settings" | "sandbox">): boolean {
  const { network, sandbox: mode } = settings().shell;
  return network || !isMasked(mode, sandbox);
}

async function run(
  deps: ShellDeps,
  { command, timeout_ms, cwd = "." }: Args,
  context: ToolContext,
): Promise<ToolResult> {
  if (command.includes("\0")) return failed("The command contains a NUL byte. Leave it out.");
  const workspace = await openWorkspace(deps.home, context);
  const folder = await findFolder(workspace, cwd);
  if ("problem" in folder) return failed(folder.problem);
  const { timeoutMs, maxOutputBytes } = deps.settings().shell;
  const limit = Math.min(timeout_ms ?? timeoutMs, MAX_RUN_MS);
  const env = childEnvironment(deps.baseEnv, { PWD: folder.real }, deps.isSecret);
  // With both streams on one pipe, their lines stay in the order in which they were written.
  const start = { file: await findShell(), args: ["-c", `exec 2>&1\n${command}`], cwd: folder.real, env };
  const started = await confineCommand(deps, start, workspace);
  if (!started.ok) return createUnconfinedResult(started.error);
  const held = await holdFolder(folder.real);
  try {
    const running = runCommand(
      deps.processes,
      {
        cwd: held.at(),
        ...started.value,
        env,
        timeoutMs: limit,
        maxOutputBytes,
        redact: deps.redact,
      },
      context.signal,
    );
    return describeResult(await withHeartbeat(context, () => "the command is running", running), limit);
  } finally {
    await held.close();
  }
}

/** A confined command sees the folders that the file tools may use, and the programs of the machine. */
function confineCommand({ sandbox, settings }: ShellDeps, start: ProgramStart, workspace: Workspace) {
  const { sandbox: mode, network, memoryMb, processes, cpuSecs, fileMb } = settings().shell;
  const toLimit = (limit: number) => (limit === 0 ? null : limit);
  return confinedCommand(sandbox, mode, start, {
    of: "own",
    network,
    shown: workspace.folders.map(({ path, access }) => ({ path, access })),
    kept: [workspace.root],
    privateHome: null,
    limits: {
      memoryMb: toLimit(memoryMb),
      processes: toLimit(processes),
      cpuSecs: toLimit(cpuSecs),
      fileMb: toLimit(fileMb),
    },
  });
}

function createUnconfinedResult(reason: string): ToolResult {
  return {
    kind: "unavailable",
    message: `Commands only run in a sandbox here (shell.sandbox), which is not available: ${reason}. Tell a person.`,
    isUnsent: true,
  };
}

async function findFolder(
  workspace: Workspace,
  cwd: string,
): Promise<{ real: string } | { problem: string }> {
  const place = await workspace.find(cwd, "read");
  if (!place.ok) return { problem: place.error };
  const { real, shown, exists } = place.value;
  if (exists && (await lstat(real)).isDirectory()) return { real };
  return { problem: `There is no folder ${quoted(shown)} to run in. Create it first, or leave cwd out.` };
}

async function findShell(): Promise<string> {
  const hasBash = await access("/bin/bash").then(
    () => true,
    () => false,
  );
  return hasBash ? "/bin/bash" : "/bin/sh";
}

function describeResult(result: CommandResult, limitMs: number): ToolResult {
  const printed = result.output + result.errors || "(no output)";
  const structured = { exitCode: result.code, signal: result.signal, outputBytes: result.outputBytes };
  switch (result.reason) {
    case "timed_out":
      return {
        kind: "timed_out",
        message: `The command did not end within ${limitMs / 1_000} s and was stopped. Give a longer timeout_ms, or do less at once. Its output so far:\n${printed}`,
      };
    case "cancelled":
      return createFailure("The call was cancelled and the command stopped.", printed, structured);
    case "flooded":
      return createFailure(
        `The command printed more than ${MAX_PRINTED / 1024 ** 2} MiB and was stopped. Redirect its output to a file.`,
        printed,
        structured,
      );
    case "ended":
      if (result.code === 0) return output(printed, structured);
      return createFailure(describeEnd(result), printed, structured);
  }
}

function describeEnd({ code, signal }: CommandResult): string {
  if (code !== null) return `The command ended with exit code ${code}.`;
  return signal === null ? "The command could not be started." : `The command was ended by ${signal}.`;
}

function createFailure(
  message: string,
  printed: string,
  structured: Readonly<Record<string, unknown>>,
): ToolResult {
  return { kind: "failed", message, content: [text(`${message}\n${printed}`)], structured };
}
