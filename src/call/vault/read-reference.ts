import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { err, ok, type Result } from "../../lib/result.ts";
import { childEnvironment } from "../../machine/process/environment.ts";
import type { Processes } from "../../machine/process/processes.ts";
import { runCommand } from "../../machine/process/run-command.ts";
import type { Reference } from "./reference.ts";

export interface ReferenceDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly processes: Processes;
  /** Variables with such a value are not passed on to programs. */
  readonly isSecret: (value: string) => boolean;
  /** How long a program may take; default 10 s. */
  readonly timeoutMs?: number;
}

const MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const TOO_LARGE = `it is larger than ${MAX_BYTES / 1024} KB`;
const NEVER = new AbortController().signal;
const NOT_STARTED = "its program cannot be started";

/** Reads the value without a final line end. Never rejects, and no error contains what was read. */
export async function readReference(
  reference: Reference,
  deps: ReferenceDeps,
): Promise<Result<string, string>> {
  const read = await readFrom(reference, deps);
  if (!read.ok) return read;
  const value = read.value.replace(/\r?\n$/, "");
  return value === "" ? err("there is nothing in it") : ok(value);
}

function readFrom(
  reference: Reference,
  deps: ReferenceDeps,
): Promise<Result<string, string>> | Result<string, string> {
  switch (reference.source) {
    case "env":
      return readVariable(reference.variable, deps.env);
    case "file":
      return readFile(reference.path);
    case "cmd":
      return readOutput(reference.program, reference.args, deps);
  }
}

export function readVariable(name: string, env: NodeJS.ProcessEnv): Result<string, string> {
  const value = env[name];
  return value ? ok(value) : err(`the variable ${name} is not set where Toolkeep runs`);
}

async function readFile(path: string): Promise<Result<string, string>> {
  let handle: FileHandle | undefined;
  try {
    // Does not block on a named pipe.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) return err("it is no file");
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return bytesRead > MAX_BYTES ? err(TOO_LARGE) : toText(bytes.toString("utf8", 0, bytesRead));
  } catch (error) {
    return err(`its file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  } finally {
    await handle?.close();
  }
}

/** Reads the standard output of the program. Its standard error may contain anything and is discarded. */
async function readOutput(
  program: string,
  args: readonly string[],
  { env, processes, isSecret, timeoutMs = TIMEOUT_MS }: ReferenceDeps,
): Promise<Result<string, string>> {
  const command = { file: program, args, cwd: "/", env: childEnvironment(env, {}, isSecret) };
  const bounds = { timeoutMs, maxOutputBytes: MAX_BYTES };
  try {
    const ran = await runCommand(processes, { ...command, ...bounds }, NEVER);
    if (ran.reason === "timed_out") return err(`its program took more than ${timeoutMs / 1000} s`);
    if (ran.isCut || ran.reason === "flooded") return err(TOO_LARGE);
    if (ran.code === null && ran.signal === null) return err(NOT_STARTED);
    return ran.code === 0 ? toText(ran.output) : err(`its program ended with ${ran.code ?? ran.signal}`);
  } catch {
    return err(NOT_STARTED);
  }
}

function toText(text: string): Result<string, string> {
  return text.includes("\uFFFD") || text.includes("\0") ? err("what it holds is no text") : ok(text);
}
