import type { RouteMethod } from "./define-route.ts";

/** A command with subcommands: `toolkeep project`. Keep it light: every start of the command line loads it. */
export interface CommandGroup {
  readonly name: string;
  /** The heading above it in the help: "People and agents". */
  readonly heading: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** `toolkeep project show` */
export interface Command {
  /** `show <project>` */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly CommandOption[];
  /** It prints a list that can be long, and takes `--limit` and `--offset`. */
  readonly isPaged?: boolean;
  /**
   * The question to confirm before it deletes or revokes something, unless `--yes` is given. Gets the arguments of the
   * command.
   */
  readonly asks?: (...params: string[]) => string;
  /** The arguments of each example in its help. */
  readonly examples?: readonly string[];
  /** Loads the implementation. */
  readonly load: () => Promise<CommandBody>;
}

export interface CommandOption {
  /** `--key <key>` */
  readonly flags: string;
  readonly summary: string;
  readonly default?: string;
  readonly isRequired?: boolean;
  /** It may be given several times. Its value is a list. */
  readonly isRepeatable?: boolean;
}

/** Gets the arguments of the usage, then the options. The exit code is 0 unless it returns another. */
// biome-ignore lint/suspicious/noExplicitAny: what a command takes is known where it is written
export type CommandBody = (run: CommandRun, ...params: any[]) => Promise<number | undefined>;

/** The resources of a command: the API, and the person at the terminal. */
export interface CommandRun {
  /** How wide the terminal is. */
  readonly columns: number;
  get<T>(path: string): Promise<T>;
  send<T>(method: RouteMethod, path: string, body?: unknown): Promise<T>;
  /** Prints `value` with `--json`, otherwise `human`. */
  print(value: object, human: string): void;
  /** Returns the text as typed; `-` reads standard input. */
  readText(given: string): Promise<string>;
  progress<T>(label: string, work: Promise<T>): Promise<T>;
}

export function defineCommand(group: CommandGroup): CommandGroup {
  return group;
}
