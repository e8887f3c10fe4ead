import type { Tool } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { termsOf } from "../../machine/text/analyser.ts";
import { BestHits } from "../../machine/text/index/best-hits.ts";
import { FieldIndex, type Sought, type TermShare } from "../../machine/text/index/field-index.ts";
import type { Part } from "../../machine/text/index/part-statistics.ts";
import type { Meanings } from "../../machine/text/meaning/meanings.ts";
import { CANDIDATES, fused, type Placed } from "./fusion.ts";
import { soughtIn } from "./query.ts";
import { meaningText, type Offerer, TOOL_FIELDS, toolTexts } from "./tool-texts.ts";
import type { Lift } from "./usage.ts";

/** Chosen with the weights of the fields. */
const K1 = 3;
const COVERAGE = 3;
/** Of a pasted page the first words must do. */
const MAX_EXPLAINED = 2_000;
/** So many tools that are as they were are passed in no time. */
const UNCHANGED_A_STEP = 256;

export interface Ranked {
  readonly tool: Tool;
  /** Comparable within one search only. */
  readonly score: number;
}

/** Why a tool is where it is. The parts add up to its score. */
export interface Reason {
  /** What each word of the query adds, best first. */
  readonly words: readonly WordShare[];
  /** For how much of its name the query says. */
  readonly coverage: number;
  /** For what it means, as far as that is known. */
  readonly meaning: number;
  /** For what was called after such searches before. */
  readonly learned: number;
}

export interface WordShare extends Pick<TermShare, "score" | "fields"> {
  /** As the query has it; where no tool has that word, what stands in for it. */
  readonly word: string;
  /** It stands in for a word that no tool has. */
  readonly standsIn: boolean;
}

export interface ToolRankingDeps {
  /** The tool that has a name now. */
  readonly tool: (name: string) => Tool | undefined;
  /** Changes whenever `tool` may answer differently. */
  readonly revision: () => number;
  /** Who offers tools and what they say of themselves, by the origin of their tools. */
  readonly offerers: () => ReadonlyMap<string, Offerer>;
  /** Absent: tools are ranked by words alone. Whoever made it closes it. */
  readonly meanings?: Meanings;
}

/**
 * Tools, ranked by how well they fit a few words, and by what they mean as far as that is known. Reads what it is asked about: a search waits for the tools that it is given,
 * whatever else there is, and of those only for what has changed, in slices that hold nobody up. It knows of nothing but them.
 */
export class ToolRanking {
  readonly #deps: ToolRankingDeps;
  readonly #index = new FieldIndex({ fields: TOOL_FIELDS, k1: K1, coverage: COVERAGE });
  readonly #indexed = new Map<string, Indexed>();
  readonly #parts = new WeakMap<readonly Tool[], ToolPart>();
  /** Of which nothing is kept that is no longer there. */
  #sweptAt: number | undefined;

  constructor(deps: ToolRankingDeps) {
    this.#deps = deps;
  }

  /**
   * The best of `among` for the query, best first. The same array should be given for the same tools. `lift` may add to the score of
   * what fits.
   */
  async search(
    query: string,
    among: readonly Tool[],
    limit: number,
    lift?: Lift,
  ): Promise<readonly Ranked[]> {
    const part = this.#partOf(among);
    const { meanings } = this.#deps;
    const [meaning] = await Promise.all([meanings?.ofQuery(query), this.prepare(among)]);
    while (!this.#isRead(part)) await this.#read(part);
    const index = this.#index;
    const sought = this.#sought(query, part);
    const near = meaning ? meanings!.nearest(meaning, part, CANDIDATES) : [];
    const isFinal = near.length === 0 && !lift;
    const places = near.map(({ at }) => at);
    const words = index.search(sought, part, isFinal ? limit : Math.max(limit, CANDIDATES), places);
    if (isFinal) return words.map((hit) => rankedIn(among, hit));
    const both = near.length === 0 ? words : fused(words, near, meanings!.similarityTo(meaning!, part));
    return best(both, among, limit, lift);
  }

  /** Why `ranked` of a search just made are where they are, in their order. */
  explain(query: string, among: readonly Tool[], ranked: readonly Ranked[], lift?: Lift): readonly Reason[] {
    const part = this.#partOf(among);
    const sought = this.#sought(query, part);
    const ids = ranked.map(({ tool }) => tool.name);
    const shares = this.#index.explain(ids, sought, part);
    const words = asAsked(query);
    return ranked.map(({ tool: { name }, score }) => {
      const { terms = [], coverage = 0 } = shares.get(name) ?? {};
      const learned = lift?.(name) ?? 0;
      const said = terms.reduce((sum, term) => sum + term.score, coverage + learned);
      return {
        words: terms.map(({ term, ...share }) => ({
          ...share,
          word: words.get(term) ?? term,
          standsIn: !words.has(term),
        })),
        coverage,
        // What neither words nor experience gave; numbers of 32 bits leave a little over.
        meaning: Math.abs(score - said) < 1e-3 ? 0 : score - said,
        learned,
      };
    });
  }

  /** Reads `among` before anybody searches in it, and begins with what it means. */
  async prepare(among: readonly Tool[]): Promise<void> {
    const part = this.#partOf(among);
    while (!this.#isRead(part)) await this.#read(part);
    void this.#deps.meanings?.catchUp();
  }

  #sought(query: string, part: ToolPart): Sought {
    const index = this.#index;
    return soughtIn(query, {
      knows: (term) => index.knows(term, part),
      termsFrom: (letter, length) => index.termsFrom(letter, length),
    });
  }

  #isRead(part: ToolPart): boolean {
    return part.readAt === this.#deps.revision();
  }

  async #read(part: ToolPart): Promise<void> {
    const revision = this.#deps.revision();
    const pace = createPace();
    if (this.#sweptAt !== revision) {
      this.#sweptAt = revision;
      await this.#sweep(pace);
    }
    const offerers = this.#deps.offerers();
    let looked = 0;
    for (const tool of part.tools) {
      if (this.#take(tool, offerers) || looked++ % UNCHANGED_A_STEP === 0) await pace();
    }
    part.readAt = revision;
  }

  /** Forgets what is gone. */
  async #sweep(pace: () => Promise<void>): Promise<void> {
    let looked = 0;
    for (const name of this.#indexed.keys()) {
      if (this.#deps.tool(name) === undefined) {
        this.#indexed.delete(name);
        this.#index.delete(name);
        this.#deps.meanings?.forget(name);
      }
      if (looked++ % UNCHANGED_A_STEP === 0) await pace();
    }
  }

  /** Whether there was something to be read. */
  #take(tool: Tool, offerers: ReadonlyMap<string, Offerer>): boolean {
    const offerer = offerers.get(tool.origin) ?? { name: tool.domain ?? "", about: "" };
    const before = this.#indexed.get(tool.name);
    if (before?.tool === tool && before.about === offerer.about) return false;
    // What a conversation still sees of before stands under what has taken its place.
    if (this.#deps.tool(tool.name) !== tool) return false;
    this.#indexed.set(tool.name, { tool, about: offerer.about });
    this.#index.put(tool.name, toolTexts(tool, offerer));
    this.#deps.meanings?.take(tool.name, meaningText(tool, offerer));
    return true;
  }

  #partOf(among: readonly Tool[]): ToolPart {
    const known = this.#parts.get(among);
    if (known) return known;
    const part = { tools: among, size: among.length, id: (at: number) => among[at]!.name, readAt: undefined };
    this.#parts.set(among, part);
    return part;
  }
}

interface ToolPart extends Part {
  readonly tools: readonly Tool[];
  /** The revision of which all of them have been read. */
  readAt: number | undefined;
}

interface Indexed {
  readonly tool: Tool;
  readonly about: string;
}

/** The words of a query by the terms they come to. */
function asAsked(query: string): ReadonlyMap<string, string> {
  const words = query.slice(0, MAX_EXPLAINED).split(/[^\p{L}\p{N}]+/u);
  return new Map(words.reverse().flatMap((word) => termsOf(word).map((term) => [term, word] as const)));
}

function rankedIn(among: readonly Tool[], { at, score }: Placed): Ranked {
  return { tool: among[at]!, score };
}

/** Best first, equal ones by name. */
function best(
  placed: readonly Placed[],
  among: readonly Tool[],
  limit: number,
  lift: Lift = () => 0,
): readonly Ranked[] {
  const hits = new BestHits(limit, (one, other) => among[one]!.name < among[other]!.name);
  for (const { at, score } of placed) hits.add(at, score + lift(among[at]!.name));
  return hits.sorted().map(({ item, score }) => rankedIn(among, { at: item, score }));
}
