import type { Terminal } from "./terminal.ts";

/** The home of this invocation. The settings module is imported on demand because it dominates the start of small commands. */
export async function findHome({ env, cwd }: Pick<Terminal, "env" | "cwd">): Promise<string> {
  const { homeOf } = await import("../../machine/config/environment.ts");
  return homeOf(env, cwd);
}
