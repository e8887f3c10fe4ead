import type { Terminal } from "./terminal.ts";

/** The home of this invocation. Loaded on need: reading settings is most of what a small command would load. */
export async function homeHere({ env, cwd }: Pick<Terminal, "env" | "cwd">): Promise<string> {
  const { homeOf } = await import("../../machine/config/environment.ts");
  return homeOf(env, cwd);
}
