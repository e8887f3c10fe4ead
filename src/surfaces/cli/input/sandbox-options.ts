/** The options that sandbox a local server: adding, reading and printing them. */
import { type Command, Option } from "commander";
import type { ServerInput, ServerView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";
import { createRepeatableOption, parseWholeNumber, resolveHere } from "./server-options.ts";

export interface SandboxOptions {
  readonly sandbox?: "off" | "auto" | "required" | true;
  readonly sandboxNetwork?: boolean;
  readonly sandboxRead?: readonly string[];
  readonly sandboxWrite?: readonly string[];
  readonly sandboxMemory?: string;
  readonly sandboxProcesses?: string;
  readonly sandboxCpu?: string;
  readonly sandboxFile?: string;
}

export function addSandboxOptions(command: Command): Command {
  return command
    .optionsGroup("Sandbox for a local server (bubblewrap, Linux):")
    .addOption(
      new Option("--sandbox [mode]", "Run the server in a sandbox; auto: only if this machine can").choices([
        "off",
        "auto",
        "required",
      ]),
    )
    .option("--sandbox-network", "Allow network access (default)")
    .option("--no-sandbox-network", "Block network access")
    .addOption(createRepeatableOption("--sandbox-read <path>", "Path it may read besides the system"))
    .addOption(createRepeatableOption("--sandbox-write <path>", "Path it may read and write"))
    .option("--sandbox-memory <mb>", "Memory limit per process in MiB, or none")
    .option("--sandbox-processes <n>", "Maximum number of processes and threads, or none")
    .option("--sandbox-cpu <secs>", "CPU limit per process in seconds, or none")
    .option("--sandbox-file <mb>", "Largest file it may write in MiB, or none");
}

/** Only the options that were given; undefined if there are none. */
export function readSandboxOptions(run: Run, options: SandboxOptions): ServerInput["sandbox"] {
  const { sandbox: mode, sandboxNetwork: network, sandboxRead, sandboxWrite } = options;
  const parts = {
    mode: mode === true ? "required" : mode,
    network,
    read: sandboxRead?.map((path) => resolveHere(run, path)),
    write: sandboxWrite?.map((path) => resolveHere(run, path)),
    memoryMb: parseLimit(options.sandboxMemory, "--sandbox-memory", 16, 1_048_576),
    processes: parseLimit(options.sandboxProcesses, "--sandbox-processes", 1, 100_000),
    cpuSecs: parseLimit(options.sandboxCpu, "--sandbox-cpu", 1, 31_536_000),
    fileMb: parseLimit(options.sandboxFile, "--sandbox-file", 1, 1_048_576),
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : (Object.fromEntries(given) as ServerInput["sandbox"]);
}

/** Describes the sandbox, or why it is not in force; null if none was requested. */
export function formatSandbox({ sandbox }: ServerView): string | null {
  if (sandbox === null || sandbox.mode === "off") return null;
  const { mode, network, read, write, memoryMb, processes, cpuSecs, fileMb, problem } = sandbox;
  const parts = [
    mode,
    !network && "no network",
    read.length > 0 && `reads ${read.join(", ")}`,
    write.length > 0 && `writes ${write.join(", ")}`,
    memoryMb !== null && `${memoryMb} MiB of memory per process`,
    processes !== null && `at most ${processes} processes`,
    cpuSecs !== null && `${cpuSecs} s of CPU per process`,
    fileMb !== null && `files up to ${fileMb} MiB`,
    problem !== null && `NOT IN FORCE: ${problem}`,
  ];
  return parts.filter(Boolean).join("; ");
}

function parseLimit(
  text: string | undefined,
  what: string,
  min: number,
  max: number,
): number | null | undefined {
  if (text === undefined) return undefined;
  return text === "none" ? null : parseWholeNumber(text, what, min, max);
}
