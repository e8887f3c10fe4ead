import type { Command } from "commander";
import type { CallRequest, ToolOutcome } from "../../api/contract.ts";
import { printable } from "../../daemon/printable.ts";
import { readArguments } from "../arguments.ts";
import { parseDuration } from "../duration.ts";
import { OUTCOME_EXIT } from "../outcome-exit.ts";
import { examples, type Run, type Shell, single } from "../shell.ts";

interface CallOptions {
  readonly agent?: string;
  readonly timeout?: string;
}

export function callCommand(shell: Shell): Command {
  return examples(
    single(
      "call",
      "call a tool and print what it answers",
      "Calls a tool, as you or as an agent, and prints what it answers. The exit code follows from the outcome.",
    )
      .argument("<name>", "the tool, by its name or by its own name where that is unique")
      .argument("[arguments...]", "one JSON object, - for standard input, @file, or key=value pairs")
      .option("--agent <name>", "call as this agent, with its grants and workspace")
      .option("--timeout <duration>", "give up after 30s, 500ms …; a bare number counts seconds")
      .action(shell.action(callTool)),
    `call mcp_fs_read_text_file '{"path": "notes.md"}'`,
    "call read_text_file path=notes.md --json",
    "call run_shell --agent main command='ls -l'",
    "call write_file @arguments.json",
  );
}

async function callTool(run: Run, name: string, given: string[], options: CallOptions): Promise<number> {
  const body: CallRequest = {
    name,
    arguments: await readArguments(given, run.terminal),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
  };
  const outcome = await run.progress(`calling ${name}`, send(run, body, options.timeout));
  if (run.json) run.print(outcome, "");
  else show(run, outcome);
  return OUTCOME_EXIT[outcome.outcome];
}

/** The call ends with the wait: giving up disconnects, and the hub cancels what nobody waits for. */
async function send(run: Run, body: CallRequest, timeout: string | undefined): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const deadline = timeout === undefined ? undefined : AbortSignal.timeout(parseDuration(timeout, "s"));
  const { signal } = run.terminal;
  try {
    return await run.send<ToolOutcome>(
      "POST",
      "/api/call",
      body,
      deadline ? AbortSignal.any([signal, deadline]) : signal,
    );
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    if (signal.aborted) return gaveUp(body, "cancelled", "the call was cancelled", durationMs);
    if (deadline?.aborted)
      return gaveUp(body, "timed_out", `no answer within ${timeout}; the call was cancelled`, durationMs);
    throw error;
  }
}

function gaveUp(
  body: CallRequest,
  outcome: "cancelled" | "timed_out",
  message: string,
  durationMs: number,
): ToolOutcome {
  return {
    callId: "",
    outcome,
    tool: body.name,
    content: [],
    text: message,
    error: { message },
    durationMs,
    truncated: false,
  };
}

function show({ terminal }: Run, outcome: ToolOutcome): void {
  if (outcome.outcome === "ok") {
    terminal.out(ended(terminal.screen ? printable(outcome.text) : outcome.text));
    if (outcome.fullOutput) terminal.err(cutNote(outcome.fullOutput));
    return;
  }
  const { message = outcome.text, remedy } = outcome.error ?? {};
  terminal.err(`${outcome.outcome.replaceAll("_", " ")}: ${printable(message)}\n`);
  if (remedy) terminal.err(`  ${printable(remedy)}\n`);
}

function cutNote({ path, bytes }: NonNullable<ToolOutcome["fullOutput"]>): string {
  return `The output was cut; all ${bytes} bytes are in ${path}\n`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
