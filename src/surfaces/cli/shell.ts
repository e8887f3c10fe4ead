import { Command, Help, type Option } from "commander";
import { ERRORS, messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { ApiClient, Method } from "./client/api-client.ts";
import { hasColours, painted, red } from "./print/colours.ts";
import { withProgress } from "./print/progress.ts";
import type { Terminal } from "./terminal.ts";

/** What a command's action works with: the API, the output in the wanted form, the signal of the person. */
export interface Run {
  readonly terminal: Terminal;
  readonly json: boolean;
  get<T>(path: string): Promise<T>;
  send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
  /** `value` for machines, `human` for people. */
  print(value: object, human: string): void;
  progress<T>(label: string, work: Promise<T>): Promise<T>;
}

/** The body of a command; its exit code is 0 unless it says otherwise. */
export type Action<P extends unknown[]> = (run: Run, ...params: P) => Promise<number | undefined>;

export interface ShellDeps {
  readonly terminal: Terminal;
  connect(terminal: Terminal): Promise<ApiClient>;
}

/** Runs the actions of one invocation and keeps its exit code. */
export class Shell {
  readonly terminal: Terminal;
  readonly #connect: ShellDeps["connect"];
  exitCode = 0;

  constructor(deps: ShellDeps) {
    this.terminal = deps.terminal;
    this.#connect = deps.connect;
  }

  /** A command with subcommands. */
  group(name: string, description: string): Group {
    return new Group(this, name).description(description);
  }

  /** A command without subcommands: a line for the list of commands, more for its own help; `examples` as in `leaf`. */
  single<P extends unknown[]>(
    name: string,
    summary: string,
    description: string,
    body: Action<P>,
    ...examples: readonly string[]
  ): Command {
    const command = new Command(name).summary(summary).description(description);
    return withExamples(command.action(this.action(body)), name, examples);
  }

  /**
   * An action for commander: gives the body a run and the command's own parameters, closes what was opened,
   * and turns what it throws into a message and an exit code.
   */
  action<P extends unknown[]>(body: Action<P>): (...params: [...P, Command]) => Promise<void> {
    return async (...params) => {
      const command = params.at(-1) as Command;
      const json = command.opts().json === true;
      const client = new LazyClient(() => this.#connect(this.terminal));
      try {
        const run = createRun(this.terminal, json, client);
        this.exitCode = (await body(run, ...(params.slice(0, -1) as P))) ?? 0;
      } catch (error) {
        this.fail(error, json, commandPath(command), listBeside(command));
      } finally {
        await client.close();
      }
    };
  }

  /** `command` is what was typed, as far as it is known: `toolkeep server add`; `list` lists what it could name. */
  fail(error: unknown, json: boolean, command: string, list?: string): void {
    const failure = this.#asFailure(error);
    this.exitCode = failure.exitCode;
    const { code, message, details } = failure;
    const remedy = remedyOf(failure, command, list);
    if (json)
      this.terminal.out(`${JSON.stringify({ error: { code, message, remedy, details } }, null, 2)}\n`);
    else {
      const isColoured = hasColours(this.terminal, this.terminal.interactive);
      this.terminal.err(`${isColoured ? red("error:") : "error:"} ${message}\n  ${remedy}\n`);
    }
  }

  #asFailure(error: unknown): ToolkeepError {
    if (error instanceof ToolkeepError) return error;
    if (this.terminal.signal.aborted) return new ToolkeepError("CANCELLED", "stopped before it was done");
    const code = isDiskError(error) ? "STORE_UNAVAILABLE" : "INTERNAL";
    return new ToolkeepError(code, messageOf(error), { cause: error });
  }
}

/** A command with subcommands: `toolkeep server`, of which `toolkeep server add` is a leaf. */
export class Group extends Command {
  readonly #shell: Shell;

  constructor(shell: Shell, name: string) {
    super(name);
    this.#shell = shell;
  }

  /** `examples`: what follows the command's name in each example of its help; none: the name alone. */
  leaf<P extends unknown[]>(
    usage: string,
    summary: string,
    body: Action<P>,
    ...examples: readonly string[]
  ): Command {
    const command = this.command(usage).description(summary);
    return withExamples(
      command.action(this.#shell.action(body)),
      `${this.name()} ${command.name()}`,
      examples,
    );
  }
}

function remedyOf({ code, remedy }: ToolkeepError, command: string, list: string | undefined): string {
  if (code === "BAD_USAGE") return `Run ${command} --help to see what it takes.`;
  const isCommon = code === "NOT_FOUND" && remedy === ERRORS.NOT_FOUND.remedy;
  return isCommon && list !== undefined ? `Run \`${list}\`.` : remedy;
}

/** The command that lists the things that this one is about: `toolkeep token list` for `toolkeep token revoke`. */
function listBeside(command: Command): string | undefined {
  const list = command.parent?.commands.find((candidate) => candidate.name() === "list");
  return list && list !== command ? commandPath(list) : undefined;
}

/** A home that cannot be written or a full disk is for the person to put right, wherever it was met. */
function isDiskError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EIO"].includes(code ?? "");
}

/** `toolkeep server add`: the command with all it belongs to. */
export function commandPath(command: Command): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Connects at the first request, so that a command that needs no API starts none. */
class LazyClient {
  readonly #open: () => Promise<ApiClient>;
  #client: Promise<ApiClient> | undefined;

  constructor(open: () => Promise<ApiClient>) {
    this.#open = open;
  }

  get(): Promise<ApiClient> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.close();
  }
}

function createRun(terminal: Terminal, json: boolean, client: LazyClient): Run {
  const send: Run["send"] = async (method, path, body, signal = terminal.signal) => {
    const api = await client.get();
    return api.send(method, path, body, { signal });
  };
  return {
    terminal,
    json,
    send,
    get: (path) => send("GET", path),
    print(value, human) {
      if (json) terminal.out(`${JSON.stringify(value, null, 2)}\n`);
      else terminal.out(hasColours(terminal, terminal.screen) ? painted(human) : human);
    },
    progress: (label, work) => withProgress(terminal, label, work),
  };
}

/** What every command that does something has: the option `--json`, and below its help what it looks like with parameters. */
function withExamples(command: Command, path: string, examples: readonly string[]): Command {
  const lines = examples.length === 0 ? [""] : examples;
  const text = lines.map((parameters) => `  $ toolkeep ${path} ${parameters}`.trimEnd()).join("\n");
  return command
    .option("--json", "print one JSON value, errors included")
    .configureHelp({ optionDescription })
    .addHelpText("after", `\n${lines.length > 1 ? "Examples" : "Example"}:\n${text}`);
}

/** Without an empty list as default, which tells nobody anything. */
function optionDescription(option: Option): string {
  return new Help().optionDescription(option).replace(" (default: [])", "");
}
