import { expect } from "vitest";
import { toolkeepHere, toolkeepHereJson } from "./run-command.ts";
import { EVERYTHING } from "./test-hub.ts";
import type { RunOptions } from "./toolkeep.ts";

export const ECHO = "mcp_everything_echo";
export const ENV = "mcp_everything_get_env";

/** An agent with two tools of a server that has a sealed value; resolves with its token. */
export async function addWorker(options: RunOptions): Promise<string> {
  const { command, args } = EVERYTHING;
  const added = [
    "server",
    "add",
    "everything",
    "--env",
    "KEY=a-value-that-was-sealed",
    "--",
    command,
    ...args,
  ];
  expect(await toolkeepHere(options, ...added)).toMatchObject({ code: 0 });
  await toolkeepHere(options, "toolbox", "create", "looking", ECHO, ENV);
  await toolkeepHere(options, "agent", "create", "worker", "--toolbox", "looking");
  return (await toolkeepHereJson(options, "token", "create", "--agent", "worker")).token;
}
