/** The options that confine a local server, what the API is told of them, and a sandbox in words. */
import { type Command, Option } from "commander";
import type { ServerInput, ServerView } from "../../api/contract.ts";
import type { Run } from "../shell.ts";
import { pathHere, repeatable, wholeNumber } from "./server-options.ts";

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

export function sandboxOptions(command: Command): Command {
  return command
    .optionsGroup("Confining a local server (bubblewrap, Linux):")
    .addOption(
      new Option("--sandbox [mode]", "confine it; auto: where that is possible").choices([
        "off",
        "auto",
        "required",
      ]),
    )
    .option("--sandbox-network", "with network, which is the default")
    .option("--no-sandbox-network", "without any network")
    .addOption(repeatable("--sandbox-read <path>", "what it may read beside the system"))
    .addOption(repeatable("--sandbox-write <path>", "what it may read and write"))
    .option("--sandbox-memory <mb>", "memory of each of its processes, in MiB; none: no limit")
    .option("--sandbox-processes <n>", "how many processes and threads; none: no limit")
    .option("--sandbox-cpu <secs>", "seconds of the processor for each process; none: no limit")
    .option("--sandbox-file <mb>", "the longest file that it may write, in MiB; none: no limit");
}

/** Only what was typed; undefined where nothing was. */
export function sandboxInput(run: Run, options: SandboxOptions): ServerInput["sandbox"] {
  const { sandbox: mode, sandboxNetwork: network, sandboxRead, sandboxWrite } = options;
  const parts = {
    mode: mode === true ? "required" : mode,
    network,
    read: sandboxRead?.map((path) => pathHere(run, path)),
    write: sandboxWrite?.map((path) => pathHere(run, path)),
    memoryMb: limit(options.sandboxMemory, "--sandbox-memory", 16, 1_048_576),
    processes: limit(options.sandboxProcesses, "--sandbox-processes", 1, 100_000),
    cpuSecs: limit(options.sandboxCpu, "--sandbox-cpu", 1, 31_536_000),
    fileMb: limit(options.sandboxFile, "--sandbox-file", 1, 1_048_576),
  };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : (Object.fromEntries(given) as ServerInput["sandbox"]);
}

/** How a server is confined, or why it is not; null where nobody asked for it. */
export function sandboxText({ sandbox }: ServerView): string | null {
  if (sandbox === null || sandbox.mode === "off") return null;
  const { mode, network, read, write, memoryMb, processes, cpuSecs, fileMb, problem } = sandbox;
  const parts = [
    mode,
    !network && "no network",
    read.length > 0 && `reads ${read.join(", ")}`,
    write.length > 0 && `writes ${write.join(", ")}`,
    memoryMb !== null && `${memoryMb} MiB of memory a process`,
    processes !== null && `at most ${processes} processes`,
    cpuSecs !== null && `${cpuSecs} s of the processor a process`,
    fileMb !== null && `files up to ${fileMb} MiB`,
    problem !== null && `NOT IN FORCE: ${problem}`,
  ];
  return parts.filter(Boolean).join("; ");
}

function limit(text: string | undefined, what: string, min: number, max: number): number | null | undefined {
  if (text === undefined) return undefined;
  return text === "none" ? null : wholeNumber(text, what, min, max);
}
