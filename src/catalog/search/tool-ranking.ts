import { createPace } from "../../lib/pace.ts";
import { FieldIndex, type Part } from "../../text/field-index.ts";
import type { Tool } from "../../tool.ts";
import { soughtIn } from "./query.ts";
import { type Offerer, TOOL_FIELDS, toolTexts } from "./tool-texts.ts";

/** Chosen with the weights of the fields. */
const K1 = 3;
const COVERAGE = 3;

export interface Ranked {
  readonly tool: Tool;
  /** Comparable within one search only. */
  readonly score: number;
}

export interface ToolRankingDeps {
  /** Every tool there is. */
  readonly tools: () => readonly Tool[];
  /** Changes whenever `tools` may have. */
  readonly revision: () => number;
  /** Who offers tools and what they say of themselves, by the origin of their tools. */
  readonly offerers: () => ReadonlyMap<string, Offerer>;
}

/**
 * Every tool, ranked by how well it fits a few words. Follows the catalogue: only what changed is read anew, in slices that
 * hold nobody up. A search knows of nothing but the tools it is given.
 */
export class ToolRanking {
  readonly #deps: ToolRankingDeps;
  readonly #index = new FieldIndex({ fields: TOOL_FIELDS, k1: K1, coverage: COVERAGE });
  readonly #indexed = new Map<string, Indexed>();
  readonly #parts = new WeakMap<readonly Tool[], ToolPart>();
  #revision: number | undefined;
  #following: Promise<void> | undefined;

  constructor(deps: ToolRankingDeps) {
    this.#deps = deps;
  }

  /** The best of `among` for the query, best first. The same array should be given for the same tools. */
  async search(query: string, among: readonly Tool[], limit: number): Promise<readonly Ranked[]> {
    while (this.#revision !== this.#deps.revision()) await this.#follow();
    const part = this.#partOf(among);
    const index = this.#index;
    const sought = soughtIn(query, {
      knows: (term) => index.knows(term, part),
      termsFrom: (letter, length) => index.termsFrom(letter, length),
    });
    const hits = index.search(sought, part, limit);
    return hits.map(({ id, score }) => ({ tool: part.tools.get(id)!, score }));
  }

  /** One at a time, whoever asks. */
  #follow(): Promise<void> {
    this.#following ??= this.#catchUp().finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  async #catchUp(): Promise<void> {
    const revision = this.#deps.revision();
    const pace = createPace();
    const tools = this.#deps.tools();
    const names = new Set(tools.map((tool) => tool.name));
    for (const name of this.#indexed.keys()) {
      if (!names.has(name)) this.#forget(name);
      await pace();
    }
    const offerers = this.#deps.offerers();
    for (const tool of tools) {
      this.#take(tool, offerers.get(tool.origin) ?? { name: tool.domain ?? "", about: "" });
      await pace();
    }
    this.#revision = revision;
  }

  #take(tool: Tool, offerer: Offerer): void {
    const before = this.#indexed.get(tool.name);
    if (before?.tool === tool && before.about === offerer.about) return;
    this.#indexed.set(tool.name, { tool, about: offerer.about });
    this.#index.put(tool.name, toolTexts(tool, offerer));
  }

  #forget(name: string): void {
    this.#indexed.delete(name);
    this.#index.delete(name);
  }

  #partOf(among: readonly Tool[]): ToolPart {
    const known = this.#parts.get(among);
    if (known) return known;
    const tools = new Map(among.map((tool) => [tool.name, tool]));
    const part = { tools, has: (id: string) => tools.has(id) };
    this.#parts.set(among, part);
    return part;
  }
}

interface ToolPart extends Part {
  readonly tools: ReadonlyMap<string, Tool>;
}

interface Indexed {
  readonly tool: Tool;
  readonly about: string;
}
