import { err, ok, type Result } from "../../lib/result.ts";
import type { Command } from "./run-command.ts";
import type { Confinement, ProgramStart, Sandbox, SandboxMode } from "./sandbox.ts";

type Started = Pick<Command, "file" | "args" | "isConfined" | "onGone"> & {
  /** Undefined if nothing confines the command, which then runs in the caller's folder. */
  readonly cwd?: string;
};

/** How a command is started under a mode. The error, for people, is why it does not start at all. */
export async function confinedCommand(
  sandbox: Sandbox,
  mode: SandboxMode,
  start: ProgramStart,
  confinement: Confinement,
): Promise<Result<Started, string>> {
  const { file, args } = start;
  if (mode === "off") return ok({ file, args });
  const confined = await sandbox.confine(start, confinement);
  if (confined.ok) return confined;
  return mode === "auto" ? ok({ file, args }) : err(confined.error);
}

/** Whether no command under this mode can see what the sandbox hides: where it can, it should be asked for first. */
export function isMasked(mode: SandboxMode, sandbox: Pick<Sandbox, "known">): boolean {
  return mode === "required" || (mode === "auto" && sandbox.known()?.ok === true);
}
