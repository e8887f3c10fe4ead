import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { waitUntil } from "./wait-until.ts";

export const BIN = join(import.meta.dirname, "../../bin/toolkeep");

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** One run of the built command line, as a person would type it. */
export async function toolkeep(options: RunOptions, ...args: string[]): Promise<Ran> {
  const running = start(options, args);
  running.child.stdin.end(options.input ?? "");
  const [code] = await once(running.child, "close");
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** The same, with the JSON it prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
export async function toolkeepJson(options: RunOptions, ...args: string[]): Promise<any> {
  const { stdout, stderr } = await toolkeep(options, ...args, "--json");
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`toolkeep ${args.join(" ")} printed no JSON: ${stdout}${stderr}`);
  }
}

export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** What it printed when it was ready. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
  readonly ready: any;
  /** Ends it with a signal and resolves with its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A daemon on a free port, ended with its scope. */
export async function serve(options: RunOptions): Promise<Serving> {
  const running = start(options, ["serve", "--json"]);
  const { child } = running;
  const closed = once(child, "close");
  await waitUntil(
    "the daemon is ready",
    () => running.stdout().includes("\n}\n") || child.exitCode !== null,
    60_000,
  );
  if (child.exitCode !== null) throw new Error(`the daemon ended: ${running.stdout()}${running.stderr()}`);
  const ready = JSON.parse(running.stdout());
  const end = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const [code] = await closed;
    return code;
  };
  return {
    ...running,
    url: ready.url,
    pid: child.pid!,
    ready,
    end,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
  };
}

export function start(options: RunOptions, args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: options.cwd ?? options.home,
    env: environment(options),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  // A command that ended without reading its input is no failure of the test.
  child.stdin.on("error", () => undefined);
  return { child, stdout: () => stdout, stderr: () => stderr };
}

/** That of a command on a home. */
export function environment({ home, env }: RunOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    // Nothing asks, unless the test is about that.
    TOOLKEEP_DEFAULT_RULES: "false",
    TOOLKEEP_HOME: home,
    TOOLKEEP_PORT: "0",
    ...env,
  };
}
