import { ToolkeepError } from "../../contract/errors.ts";
import type { Tool, ToolSource } from "../../contract/tool.ts";
import type { Log } from "../../lib/log.ts";

const NAME = /^[a-z0-9_]{1,64}$/;

/**
 * Tools of whoever embeds the hub, beside its own. Throws BAD_REQUEST for a name that no tool may have, or that one of
 * Toolkeep's own or of a source before has; what takes such a name later is left out, and logged.
 */
export function givenSources(
  sources: readonly ToolSource[],
  reserved: ReadonlySet<string>,
  log: Pick<Log, "warn">,
): GivenSources {
  const taken = new Set(reserved);
  for (const source of sources) {
    for (const { name } of source.tools()) {
      const problem = problemOf(name, source.name, taken);
      if (problem !== undefined) throw new ToolkeepError("BAD_REQUEST", problem);
      taken.add(name);
    }
  }
  const onProblem = (problem: string) => log.warn({ problem }, "a tool of the program was left out");
  const given = sources.map((source) => new GivenSource(source, reserved, onProblem));
  return {
    sources: given,
    names: () => new Set([...reserved, ...given.flatMap((source) => source.tools().map(({ name }) => name))]),
  };
}

export interface GivenSources {
  readonly sources: readonly ToolSource[];
  /** Those that no server's tool may take, as of now: the reserved ones and these. */
  names(): ReadonlySet<string>;
}

class GivenSource implements ToolSource {
  readonly name: string;
  readonly #source: ToolSource;
  readonly #reserved: ReadonlySet<string>;
  readonly #onProblem: (message: string) => void;
  #known: { readonly of: readonly Tool[]; readonly fitting: readonly Tool[] } | undefined;

  constructor(source: ToolSource, reserved: ReadonlySet<string>, onProblem: (message: string) => void) {
    this.name = source.name;
    this.#source = source;
    this.#reserved = reserved;
    this.#onProblem = onProblem;
  }

  tools(): readonly Tool[] {
    const of = this.#source.tools();
    if (this.#known?.of !== of) this.#known = { of, fitting: of.filter((tool) => this.#fits(tool)) };
    return this.#known.fitting;
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
    return `a tool of the source ${source} is named ${JSON.stringify(name)}: expected at most 64 of a-z, 0-9 and _`;
  return taken.has(name) ? `the source ${source} has a tool named ${name}, which is taken` : undefined;
}
