import type { Tool } from "../../contract/tool.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { termsOf } from "../../machine/text/analyser.ts";
import { BestHits } from "../../machine/text/index/best-hits.ts";
import { FieldIndex, type Sought, type TermShare } from "../../machine/text/index/field-index.ts";
import type { Part } from "../../machine/text/index/part-statistics.ts";
import type { Meanings } from "../../machine/text/meaning/meanings.ts";
import { CANDIDATES, fuseScores, type ScoredPosition } from "./fusion.ts";
import { weighTerms } from "./query.ts";
import { meaningText, type Offerer, TOOL_FIELDS, toolTexts } from "./tool-texts.ts";
import type { Lift } from "./usage.ts";

/** Chosen together with the weights of the fields. */
const K1 = 3;
const COVERAGE = 3;
/** Only the first characters of a long query are explained. */
const MAX_EXPLAINED = 2_000;
/** So many unchanged tools are checked between two pauses. */
const CHECKS_PER_PAUSE = 256;

export interface RankedTool {
  readonly tool: Tool;
  /** Comparable only within one search. */
  readonly score: number;
}

/** Why a tool has its rank. The parts add up to its score. */
export interface Reason {
  /** What each word of the query adds, best first. */
  readonly words: readonly WordShare[];
  /** How much of the tool's name the query contains. */
  readonly coverage: number;
  /** How close the meanings are, where known. */
  readonly meaning: number;
  /** Experience: the tool was called after similar searches. */
  readonly learned: number;
}

export interface WordShare extends Pick<TermShare, "score" | "fields"> {
  /** As in the query; where no tool has that word, the word that stands in for it. */
  readonly word: string;
  /** Stands in for a word that no tool has. */
  readonly standsIn: boolean;
}

export interface ToolRankingDeps {
  /** The tool that has a name now. */
  readonly tool: (name: string) => Tool | undefined;
  /** Changes whenever `tool` may answer differently. */
  readonly revision: () => number;
  /** Who offers tools and what they say about themselves, by the origin of their tools. */
  readonly offerers: () => ReadonlyMap<string, Offerer>;
  /** Absent: tools are ranked by words alone. Whoever created it closes it. */
  readonly meanings?: Meanings;
}

/**
 * Ranks tools by how well they fit a few words, and by meaning where it is known. Indexes only the tools that it is
 * asked about: a search waits for the tools it is given, and of those only for changed ones, in slices that block
 * nobody.
 */
export class ToolRanking {
  readonly #deps: ToolRankingDeps;
  readonly #index = new FieldIndex({ fields: TOOL_FIELDS, k1: K1, coverage: COVERAGE });
  readonly #indexedTools = new Map<string, IndexedTool>();
  readonly #parts = new WeakMap<readonly Tool[], ToolPart>();
  /** The revision at which removed tools were last dropped. */
  #sweptAt: number | undefined;

  constructor(deps: ToolRankingDeps) {
    this.#deps = deps;
  }

  /**
   * The best of `among` for the query, best first. Pass the same array for the same tools. `lift` may add to the score
   * of tools that fit.
   */
  async search(
    query: string,
    among: readonly Tool[],
    limit: number,
    lift?: Lift,
  ): Promise<readonly RankedTool[]> {
    const part = this.#partOf(among);
    const { meanings } = this.#deps;
    const [meaning] = await Promise.all([meanings?.ofQuery(query), this.prepare(among)]);
    while (!this.#isRead(part)) await this.#read(part);
    const index = this.#index;
    const terms = this.#weighTerms(query, part);
    const near = meaning ? meanings!.nearest(meaning, part, CANDIDATES) : [];
    const isFinal = near.length === 0 && !lift;
    const positions = near.map(({ at }) => at);
    const words = index.search(terms, part, isFinal ? limit : Math.max(limit, CANDIDATES), positions);
    if (isFinal) return words.map((hit) => toRanked(among, hit));
    const fused = near.length === 0 ? words : fuseScores(words, near, meanings!.similarityTo(meaning!, part));
    return takeBest(fused, among, limit, lift);
  }

  /** Explains the ranks of `ranked`, the result of a search just made, in the same order. */
  explain(
    query: string,
    among: readonly Tool[],
    ranked: readonly RankedTool[],
    lift?: Lift,
  ): readonly Reason[] {
    const part = this.#partOf(among);
    const queryTerms = this.#weighTerms(query, part);
    const ids = ranked.map(({ tool }) => tool.name);
    const shares = this.#index.explain(ids, queryTerms, part);
    const asked = wordsByTerm(query);
    return ranked.map(({ tool: { name }, score }) => {
      const { terms = [], coverage = 0 } = shares.get(name) ?? {};
      const learned = lift?.(name) ?? 0;
      const known = terms.reduce((sum, term) => sum + term.score, coverage + learned);
      return {
        words: terms.map(({ term, ...share }) => ({
          ...share,
          word: asked.get(term) ?? term,
          standsIn: !asked.has(term),
        })),
        coverage,
        // What neither words nor experience explain; 32-bit rounding leaves a small rest.
        meaning: Math.abs(score - known) < 1e-3 ? 0 : score - known,
        learned,
      };
    });
  }

  /** Indexes `among` before anybody searches in it, and starts on the meanings. */
  async prepare(among: readonly Tool[]): Promise<void> {
    const part = this.#partOf(among);
    while (!this.#isRead(part)) await this.#read(part);
    void this.#deps.meanings?.catchUp();
  }

  #weighTerms(query: string, part: ToolPart): Sought {
    const index = this.#index;
    return weighTerms(query, {
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
    let checked = 0;
    for (const tool of part.tools) {
      if (this.#indexTool(tool, offerers) || checked++ % CHECKS_PER_PAUSE === 0) await pace();
    }
    part.readAt = revision;
  }

  /** Drops tools that no longer exist. */
  async #sweep(pace: () => Promise<void>): Promise<void> {
    let checked = 0;
    for (const name of this.#indexedTools.keys()) {
      if (this.#deps.tool(name) === undefined) {
        this.#indexedTools.delete(name);
        this.#index.delete(name);
        this.#deps.meanings?.forget(name);
      }
      if (checked++ % CHECKS_PER_PAUSE === 0) await pace();
    }
  }

  /** Indexes a tool if it has changed; true if it had. */
  #indexTool(tool: Tool, offerers: ReadonlyMap<string, Offerer>): boolean {
    const offerer = offerers.get(tool.origin) ?? { name: tool.domain ?? "", about: "" };
    const known = this.#indexedTools.get(tool.name);
    if (known?.tool === tool && known.about === offerer.about) return false;
    // A conversation may still see an older version; the index has only the present one.
    if (this.#deps.tool(tool.name) !== tool) return false;
    this.#indexedTools.set(tool.name, { tool, about: offerer.about });
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
  /** The revision at which all of them were indexed. */
  readAt: number | undefined;
}

interface IndexedTool {
  readonly tool: Tool;
  readonly about: string;
}

/** The words of a query, by the terms that they are reduced to. */
function wordsByTerm(query: string): ReadonlyMap<string, string> {
  const words = query.slice(0, MAX_EXPLAINED).split(/[^\p{L}\p{N}]+/u);
  return new Map(words.reverse().flatMap((word) => termsOf(word).map((term) => [term, word] as const)));
}

function toRanked(among: readonly Tool[], { at, score }: ScoredPosition): RankedTool {
  return { tool: among[at]!, score };
}

/** Best first, ties by name. */
function takeBest(
  placed: readonly ScoredPosition[],
  among: readonly Tool[],
  limit: number,
  lift: Lift = () => 0,
): readonly RankedTool[] {
  const hits = new BestHits(limit, (one, other) => among[one]!.name < among[other]!.name);
  for (const { at, score } of placed) hits.add(at, score + lift(among[at]!.name));
  return hits.sorted().map(({ item, score }) => toRanked(among, { at: item, score }));
}
