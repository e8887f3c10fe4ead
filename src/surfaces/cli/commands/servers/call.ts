import type { Command } from "commander";
import { path } from "../../../../lib/http/api-path.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import type { CallRequest, ServerAnswer, ToolAnswer, ToolOutcome } from "../../../api/contract.ts";
import { noteQuestions } from "../../client/waiting-note.ts";
import { readArguments } from "../../input/arguments.ts";
import { askPerson, pendingQuestion, sendAnswer } from "../../input/ask-person.ts";
import { durationText, parseDuration } from "../../print/duration.ts";
import { OUTCOME_EXIT } from "../../print/outcome-exit.ts";
import type { Run, Shell } from "../../shell.ts";
import type { Terminal } from "../../terminal.ts";

/** Whose calls they are when no agent is named. */
const OPERATOR = "operator";

interface CallOptions {
  readonly agent?: string;
  readonly timeout?: string;
}

export function callCommand(shell: Shell): Command {
  return shell
    .single(
      "call",
      "call a tool and print what it answers",
      "Calls a tool, as you or as an agent, and prints what it answers. The exit code follows from the outcome.",
      callTool,
      `mcp_fs_read_text_file '{"path": "notes.md"}'`,
      "read_text_file path=notes.md --json",
      "run_shell --agent main command='ls -l'",
      "write_file @arguments.json",
    )
    .argument("<name>", "the tool, by its name or by its own name where that is unique")
    .argument("[arguments...]", "one JSON object, - for standard input, @file, or key=value pairs")
    .option("--agent <name>", "call as this agent, with its grants and workspace")
    .option("--timeout <duration>", "give up after 30s, 500ms …; a bare number counts seconds");
}

async function callTool(run: Run, name: string, given: string[], options: CallOptions): Promise<number> {
  const { agent } = options;
  const body: CallRequest = {
    name,
    arguments: await readArguments(given, run.terminal),
    ...(agent === undefined ? {} : { agent }),
  };
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout, "s");
  return makeCall(run, { place: "/api/call", name, agent, body, timeoutMs });
}

/** A call as it is sent: `name` and `agent` are for people. */
export interface SentCall {
  readonly place: string;
  readonly name: string;
  readonly agent?: string | undefined;
  readonly body: object;
  readonly timeoutMs?: number | undefined;
}

/** Makes a call, prints how it ended and returns the exit code that follows from it. */
export async function makeCall(
  run: Run,
  sent: SentCall,
  showMore?: (outcome: ToolOutcome) => void,
): Promise<number> {
  const outcome = await callUntilAnswered(run, sent);
  if (run.json) run.print(outcome, "");
  else {
    await show(run, outcome);
    showMore?.(outcome);
  }
  return OUTCOME_EXIT[outcome.outcome];
}

/** Where the call needs a person and one is here, asks them and makes the same call again, which takes the answer. */
async function callUntilAnswered(run: Run, sent: SentCall): Promise<ToolOutcome> {
  for (;;) {
    const outcome = await call(run, sent);
    const asked = run.terminal.interactive && !run.json ? questionOf(outcome) : undefined;
    const question = asked && (await pendingQuestion(run, asked));
    if (!question) return outcome;
    await sendAnswer(run, question.id, { answer: await askPerson(question) });
  }
}

async function call(run: Run, sent: SentCall): Promise<ToolOutcome> {
  using _ = noteQuestions(run, sent.agent ?? OPERATOR);
  return await run.progress(`calling ${sent.name}`, send(run, sent));
}

function questionOf({ outcome, error }: ToolOutcome): string | undefined {
  const { questionId, approvalId } = error?.details ?? {};
  const id = outcome === "needs_input" ? questionId : outcome === "needs_approval" ? approvalId : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The call ends with the wait: giving up disconnects, and the hub cancels what nobody waits for. */
async function send(run: Run, { place, name, body, timeoutMs }: SentCall): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const { signal } = run.terminal;
  try {
    return await run.send<ToolOutcome>(
      "POST",
      place,
      body,
      deadline ? AbortSignal.any([signal, deadline]) : signal,
    );
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    if (signal.aborted) return gaveUp(name, "cancelled", "the call was cancelled", durationMs);
    if (timeoutMs !== undefined && deadline?.aborted) {
      const message = `no answer within ${durationText(timeoutMs)}; the call was cancelled`;
      return gaveUp(name, "timed_out", message, durationMs);
    }
    throw error;
  }
}

function gaveUp(
  tool: string,
  outcome: "cancelled" | "timed_out",
  message: string,
  durationMs: number,
): ToolOutcome {
  return {
    callId: "",
    outcome,
    tool,
    content: [],
    text: message,
    error: { message },
    durationMs,
    truncated: false,
  };
}

async function show(run: Run, outcome: ToolOutcome): Promise<void> {
  const { terminal } = run;
  const { text, error, fullOutput } = outcome;
  if (outcome.outcome === "ok") writeOutput(terminal, text);
  else {
    const { message = text, remedy } = error ?? {};
    // A tool that failed may have said more than its message: what a command printed before it ended, for one.
    const isMessage = text.startsWith(message);
    if (!isMessage) writeOutput(terminal, text);
    terminal.err(
      `${outcome.outcome.replaceAll("_", " ")}: ${ended(printable(isMessage && !remedy ? text : message))}`,
    );
    if (remedy) terminal.err(`  ${printable(remedy)}\n`);
    if (outcome.outcome === "unavailable" && outcome.tool !== undefined)
      terminal.err(await signInNote(run, outcome.tool));
    if (outcome.outcome === "invalid_arguments")
      terminal.err(`  See what it takes: toolkeep tool show ${outcome.tool}\n`);
  }
  if (fullOutput) terminal.err(cutNote(fullOutput));
}

/** Models are not told how to sign in; a person is. */
async function signInNote(run: Run, toolName: string): Promise<string> {
  try {
    const { tool } = await run.get<ToolAnswer>(path`/api/tools/${toolName}`);
    const name = /^mcp:(.+)$/.exec(tool.origin)?.[1];
    if (name === undefined) return "";
    const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
    return server.state === "needs_auth" ? `  Sign in: toolkeep server auth ${name}\n` : "";
  } catch {
    // The call has its answer already; this would only have added to it.
    return "";
  }
}

function writeOutput(terminal: Terminal, text: string): void {
  terminal.out(ended(terminal.screen ? printable(text) : text));
}

function cutNote({ id, chars }: NonNullable<ToolOutcome["fullOutput"]>): string {
  return `The output was cut; all ${chars} characters for a day: toolkeep call read_tool_output id=${id}\n`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
