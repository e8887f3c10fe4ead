import { runCommand } from "../../src/surfaces/cli/main.ts";
import { environment, type Ran, type RunOptions } from "./toolkeep.ts";

export interface CommandOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What is typed into it. */
  readonly input?: string;
}

/** One command line in this process, of the sources as they are: nothing needs to be built. Nobody is at the terminal. */
export async function command({ env, cwd, input = "" }: CommandOptions, ...argv: string[]): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  const code = await runCommand(argv, {
    env: { PATH: process.env.PATH, TOOLKEEP_PORT: "19850", ...env },
    cwd,
    interactive: false,
    screen: false,
    columns: Number.POSITIVE_INFINITY,
    out: (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    read: async () => input,
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}

/** The same, with the JSON it prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
export async function commandJson(options: CommandOptions, ...argv: string[]): Promise<any> {
  const { stdout, stderr } = await command(options, ...argv, "--json");
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`toolkeep ${argv.join(" ")} printed no JSON: ${stdout}${stderr}`);
  }
}

/** What `toolkeep` of `toolkeep.ts` does, in this process: for tests that are not about the process. */
export function toolkeepHere(options: RunOptions, ...argv: string[]): Promise<Ran> {
  return command(here(options), ...argv);
}

/** The same, with the JSON it prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect
export function toolkeepHereJson(options: RunOptions, ...argv: string[]): Promise<any> {
  return commandJson(here(options), ...argv);
}

function here(options: RunOptions): CommandOptions {
  const { home, cwd = home, input = "" } = options;
  return { env: environment(options), cwd, input };
}
