import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolSource } from "../../contract/tool.ts";
import type { Log } from "../../lib/log.ts";

const NAME = /^[a-z0-9_]{1,64}$/;

/**
 * Tools of the program that embeds the hub, beside Toolkeep's own. Throws BAD_REQUEST for a name that no tool may have,
 * or that a tool of Toolkeep or of an earlier source has. Tools that take such a name later are left out and logged.
 */
export function createProgramSources(
  sources: readonly ToolSource[],
  reserved: ReadonlySet<string>,
  log: Pick<Log, "warn">,
): ProgramSources {
  const taken = new Set(reserved);
  for (const source of sources) {
    for (const { name } of source.tools()) {
      const problem = problemOf(name, source.name, taken);
      if (problem !== undefined) throw new ToolkeepError("BAD_REQUEST", problem);
      taken.add(name);
    }
  }
  const onProblem = (problem: string) =>
    log.warn({ problem }, "catalog: left out a tool of the embedding program");
  const checked = sources.map((source) => new ProgramSource(source, reserved, onProblem));
  return {
    sources: checked,
    names: () =>
      new Set([...reserved, ...checked.flatMap((source) => source.tools().map(({ name }) => name))]),
  };
}

export interface ProgramSources {
  readonly sources: readonly ToolSource[];
  /** The names that no server's tool may take now: the reserved ones and those of these sources. */
  names(): ReadonlySet<string>;
}

class ProgramSource implements ToolSource {
  readonly name: string;
  readonly #source: ToolSource;
  readonly #reserved: ReadonlySet<string>;
  readonly #onProblem: (message: string) => void;
  #cache: { readonly tools: readonly Tool[]; readonly valid: readonly Tool[] } | undefined;

  constructor(source: ToolSource, reserved: ReadonlySet<string>, onProblem: (message: string) => void) {
    this.name = source.name;
    this.#source = source;
    this.#reserved = reserved;
    this.#onProblem = onProblem;
  }

  tools(): readonly Tool[] {
    const tools = this.#source.tools();
    if (this.#cache?.tools !== tools)
      this.#cache = { tools, valid: tools.filter((tool) => this.#fits(tool)) };
    return this.#cache.valid;
  }

  onChange(listener: () => void): () => void {
    return this.#source.onChange(listener);
  }

  #fits({ name }: Tool): boolean {
    const problem = problemOf(name, this.name, this.#reserved);
    if (problem !== undefined) this.#onProblem(problem);
    return problem === undefined;
  }
}

function problemOf(name: string, source: string, taken: ReadonlySet<string>): string | undefined {
  if (!NAME.test(name))
    return `a tool of the source ${source} is named ${JSON.stringify(name)}: expected 1 to 64 characters of a-z, 0-9 and _`;
  return taken.has(name)
    ? `the source ${source} has a tool named ${name}, which is already taken`
    : undefined;
}
