import type { RouteMethod } from "./define-route.ts";

/** A command of the command line that has others under it: `toolkeep project`. Light: every command line loads it. */
export interface CommandGroup {
  readonly name: string;
  /** What is above it in the help: "People and agents". */
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
  /** It lists what may be long: it takes `--limit` and `--offset`. */
  readonly isPaged?: boolean;
  /** It deletes or revokes something: this is asked first, unless `--yes` is given. Gets what the body gets. */
  readonly asks?: (...params: string[]) => string;
  /** What follows the command in each example of its help. */
  readonly examples?: readonly string[];
  /** Loads what it does. */
  readonly load: () => Promise<CommandBody>;
}

export interface CommandOption {
  /** `--key <key>` */
  readonly flags: string;
  readonly summary: string;
  readonly default?: string;
  readonly isRequired?: boolean;
  /** It may be given several times; its value is a list. */
  readonly isRepeatable?: boolean;
}

/** Gets the words of the usage, then the options; its exit code is 0 unless it says otherwise. */
// biome-ignore lint/suspicious/noExplicitAny: what a command takes is known where it is written
export type CommandBody = (run: CommandRun, ...params: any[]) => Promise<number | undefined>;

/** What a command works with: the API, and the person at the terminal. */
export interface CommandRun {
  /** How wide the terminal is. */
  readonly columns: number;
  get<T>(path: string): Promise<T>;
  send<T>(method: RouteMethod, path: string, body?: unknown): Promise<T>;
  /** `value` for machines (`--json`), `human` for people. */
  print(value: object, human: string): void;
  /** The text as it was typed; `-` reads standard input. */
  readText(given: string): Promise<string>;
  progress<T>(label: string, work: Promise<T>): Promise<T>;
}

export function defineCommand(group: CommandGroup): CommandGroup {
  return group;
}
