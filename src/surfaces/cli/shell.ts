import { Command, Help, type Option } from "commander";
import { ERRORS, messageOf, ToolkeepError } from "../../contract/errors.ts";
import type { ApiClient, Method } from "./client/api-client.ts";
import { colourize, colourRed, shouldUseColours } from "./print/colours.ts";
import { withProgress } from "./print/progress.ts";
import type { Terminal } from "./terminal.ts";

/** The resources of a command's action: the API, the output as text or JSON, and the signal that cancels it. */
export interface Run {
  readonly terminal: Terminal;
  readonly json: boolean;
  get<T>(path: string): Promise<T>;
  send<T>(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<T>;
  /** Prints `value` with `--json`, `human` otherwise. */
  print(value: object, human: string): void;
  progress<T>(label: string, work: Promise<T>): Promise<T>;
}

/** The body of a command. Resolves with its exit code; undefined means 0. */
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

  /** A command without subcommands. `summary` is for the list of commands, `description` for its own help; `examples` as in `leaf`. */
  single<P extends unknown[]>(
    name: string,
    summary: string,
    description: string,
    body: Action<P>,
    ...examples: readonly string[]
  ): Command {
    const command = new Command(name).summary(summary).description(description);
    return addExamples(command.action(this.action(body)), name, examples);
  }

  /**
   * An action for commander: calls the body with a run and the command's parameters, closes the client afterwards,
   * and turns a thrown error into a message and an exit code.
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
        this.fail(error, json, getCommandPath(command), findListCommand(command));
      } finally {
        await client.close();
      }
    };
  }

  /** `command` is the command as typed, as far as it is known: `toolkeep server add`. `list` is the command that lists its objects. */
  fail(error: unknown, json: boolean, command: string, list?: string): void {
    const failure = this.#asFailure(error);
    this.exitCode = failure.exitCode;
    const { code, message, details } = failure;
    const remedy = chooseRemedy(failure, command, list);
    if (json)
      this.terminal.out(`${JSON.stringify({ error: { code, message, remedy, details } }, null, 2)}\n`);
    else {
      const isColoured = shouldUseColours(this.terminal, this.terminal.interactive);
      this.terminal.err(`${isColoured ? colourRed("error:") : "error:"} ${message}\n  ${remedy}\n`);
    }
  }

  #asFailure(error: unknown): ToolkeepError {
    if (error instanceof ToolkeepError) return error;
    if (this.terminal.signal.aborted) return new ToolkeepError("CANCELLED", "cancelled");
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

  /** `examples`: the arguments in each example of its help. Without any, the example is the bare command. */
  leaf<P extends unknown[]>(
    usage: string,
    summary: string,
    body: Action<P>,
    ...examples: readonly string[]
  ): Command {
    const command = this.command(usage).description(summary);
    return addExamples(
      command.action(this.#shell.action(body)),
      `${this.name()} ${command.name()}`,
      examples,
    );
  }
}

function chooseRemedy({ code, remedy }: ToolkeepError, command: string, list: string | undefined): string {
  if (code === "BAD_USAGE") return `Run ${command} --help for usage.`;
  const isCommon = code === "NOT_FOUND" && remedy === ERRORS.NOT_FOUND.remedy;
  return isCommon && list !== undefined ? `Run \`${list}\`.` : remedy;
}

/** The command that lists the objects of this command: `toolkeep token list` for `toolkeep token revoke`. */
function findListCommand(command: Command): string | undefined {
  const list = command.parent?.commands.find((candidate) => candidate.name() === "list");
  return list && list !== command ? getCommandPath(list) : undefined;
}

/** A person has to fix an unwritable home or a full disk, so these errors are not reported as internal. */
function isDiskError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT", "ENOTDIR", "EIO"].includes(code ?? "");
}

/** The command with its parents: `toolkeep server add`. */
export function getCommandPath(command: Command): string {
  return command.parent ? `${getCommandPath(command.parent)} ${command.name()}` : command.name();
}

/** Parser for repeatable options. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Connects on the first request, so that commands without API calls need no hub. */
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
      else terminal.out(shouldUseColours(terminal, terminal.screen) ? colourize(human) : human);
    },
    progress: (label, work) => withProgress(terminal, label, work),
  };
}

/** Adds `--json`, which every command has, and examples below the help. */
function addExamples(command: Command, path: string, examples: readonly string[]): Command {
  const lines = examples.length === 0 ? [""] : examples;
  const text = lines.map((parameters) => `  $ toolkeep ${path} ${parameters}`.trimEnd()).join("\n");
  return command
    .option("--json", "Print one JSON value, also for errors")
    .configureHelp({ optionDescription: describeOption })
    .addHelpText("after", `\n${lines.length > 1 ? "Examples" : "Example"}:\n${text}`);
}

/** Leaves out the default of repeatable options, which is always an empty list. */
function describeOption(option: Option): string {
  return new Help().optionDescription(option).replace(" (default: [])", "");
}
