import type { Command } from "commander";
import { path } from "../../../../lib/http/api-path.ts";
import { printable } from "../../../../lib/terminal/printable.ts";
import type { CallRequest, ServerAnswer, ToolAnswer, ToolOutcome } from "../../../api/contract.ts";
import { announceQuestions } from "../../client/waiting-note.ts";
import { readArguments } from "../../input/arguments.ts";
import { askPerson, findPendingQuestion, sendAnswer } from "../../input/ask-person.ts";
import { durationText, parseDuration } from "../../print/duration.ts";
import { OUTCOME_EXIT } from "../../print/outcome-exit.ts";
import type { Run, Shell } from "../../shell.ts";
import type { Terminal } from "../../terminal.ts";

/** The caller if no agent is named. */
const OPERATOR = "operator";

interface CallOptions {
  readonly agent?: string;
  readonly timeout?: string;
}

export function callCommand(shell: Shell): Command {
  return shell
    .single(
      "call",
      "Call a tool and print its result",
      "Call a tool, as you or as an agent, and print its result. The exit code depends on the outcome.",
      callTool,
      `mcp_fs_read_text_file '{"path": "notes.md"}'`,
      "read_text_file path=notes.md --json",
      "run_shell --agent main command='ls -l'",
      "write_file @arguments.json",
    )
    .argument("<name>", "Name of the tool; the name its server gives it works too if it is unique")
    .argument("[arguments...]", "One JSON object, - for standard input, @file, or key=value pairs")
    .option("--agent <name>", "Call as this agent, with its grants and workspace")
    .option(
      "--timeout <duration>",
      "Give up after this time, such as 30s or 500ms; a bare number is in seconds",
    );
}

async function callTool(run: Run, name: string, words: string[], options: CallOptions): Promise<number> {
  const { agent } = options;
  const body: CallRequest = {
    name,
    arguments: await readArguments(words, run.terminal),
    ...(agent === undefined ? {} : { agent }),
  };
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout, "s");
  return makeCall(run, { route: "/api/call", name, agent, body, timeoutMs });
}

/** A call to send. `name` and `agent` are only for messages; the request is `body`. */
export interface CallToSend {
  readonly route: string;
  readonly name: string;
  readonly agent?: string | undefined;
  readonly body: object;
  readonly timeoutMs?: number | undefined;
}

/** Makes a call, prints its outcome and returns the exit code. */
export async function makeCall(
  run: Run,
  call: CallToSend,
  showMore?: (outcome: ToolOutcome) => void,
): Promise<number> {
  const outcome = await callUntilAnswered(run, call);
  if (run.json) run.print(outcome, "");
  else {
    await printOutcome(run, outcome);
    showMore?.(outcome);
  }
  return OUTCOME_EXIT[outcome.outcome];
}

/** If the call needs a person and one is at the terminal, asks them and repeats the call, which then uses the answer. */
async function callUntilAnswered(run: Run, call: CallToSend): Promise<ToolOutcome> {
  for (;;) {
    const outcome = await callOnce(run, call);
    const questionId = run.terminal.interactive && !run.json ? getQuestionId(outcome) : undefined;
    const question = questionId && (await findPendingQuestion(run, questionId));
    if (!question) return outcome;
    await sendAnswer(run, question.id, { answer: await askPerson(question) });
  }
}

async function callOnce(run: Run, call: CallToSend): Promise<ToolOutcome> {
  using _ = announceQuestions(run, call.agent ?? OPERATOR);
  return await run.progress(`calling ${call.name}`, send(run, call));
}

function getQuestionId({ outcome, error }: ToolOutcome): string | undefined {
  const { questionId, approvalId } = error?.details ?? {};
  const id = outcome === "needs_input" ? questionId : outcome === "needs_approval" ? approvalId : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Giving up also cancels the call: the request is disconnected, and the hub cancels calls that nobody waits for. */
async function send(run: Run, { route, name, body, timeoutMs }: CallToSend): Promise<ToolOutcome> {
  const startedAt = performance.now();
  const deadline = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const { signal } = run.terminal;
  try {
    return await run.send<ToolOutcome>(
      "POST",
      route,
      body,
      deadline ? AbortSignal.any([signal, deadline]) : signal,
    );
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt);
    if (signal.aborted) return createGivenUpOutcome(name, "cancelled", "the call was cancelled", durationMs);
    if (timeoutMs !== undefined && deadline?.aborted) {
      const message = `no answer within ${durationText(timeoutMs)}; the call was cancelled`;
      return createGivenUpOutcome(name, "timed_out", message, durationMs);
    }
    throw error;
  }
}

function createGivenUpOutcome(
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

async function printOutcome(run: Run, outcome: ToolOutcome): Promise<void> {
  const { terminal } = run;
  const { text, error, fullOutput } = outcome;
  if (outcome.outcome === "ok") writeOutput(terminal, text);
  else {
    const { message = text, remedy } = error ?? {};
    // A failed tool may have output besides its message, such as what a command printed before it failed.
    const isMessage = text.startsWith(message);
    if (!isMessage) writeOutput(terminal, text);
    terminal.err(
      `${outcome.outcome.replaceAll("_", " ")}: ${endWithNewline(printable(isMessage && !remedy ? text : message))}`,
    );
    if (remedy) terminal.err(`  ${printable(remedy)}\n`);
    if (outcome.outcome === "unavailable" && outcome.tool !== undefined)
      terminal.err(await getSignInNote(run, outcome.tool));
    if (outcome.outcome === "invalid_arguments")
      terminal.err(`  See its arguments: toolkeep tool show ${outcome.tool}\n`);
  }
  if (fullOutput) terminal.err(formatCutNote(fullOutput));
}

/** How to sign in. Only people are told, never models. */
async function getSignInNote(run: Run, toolName: string): Promise<string> {
  try {
    const { tool } = await run.get<ToolAnswer>(path`/api/tools/${toolName}`);
    const name = /^mcp:(.+)$/.exec(tool.origin)?.[1];
    if (name === undefined) return "";
    const { server } = await run.get<ServerAnswer>(path`/api/servers/${name}`);
    return server.state === "needs_auth" ? `  Sign in: toolkeep server auth ${name}\n` : "";
  } catch {
    // The outcome is already printed; the note is optional.
    return "";
  }
}

function writeOutput(terminal: Terminal, text: string): void {
  terminal.out(endWithNewline(terminal.screen ? printable(text) : text));
}

function formatCutNote({ id, chars }: NonNullable<ToolOutcome["fullOutput"]>): string {
  return `Output shortened. All ${chars} characters are kept for a day: toolkeep call read_tool_output id=${id}\n`;
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
