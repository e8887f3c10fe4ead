import { LiteralTable } from "../../lib/text/literal-table.ts";
import { LiteralTree } from "../../lib/text/literal-tree.ts";
import { type CallTexts, type Source, sourceOf } from "./call-texts.ts";
import type { Circumstances, CompiledRule } from "./compiled-rule.ts";
import type { Anchor, Channel } from "./paths/anchors.ts";

type Test = (rule: CompiledRule) => boolean;

/** Fewer are tried one after the other. */
const MIN_INDEXED = 6;

/** Rules about the same tools, most specific first. */
export class RankedRules {
  readonly all: readonly CompiledRule[];
  #index: AnchorIndex | undefined;

  constructor(all: readonly CompiledRule[]) {
    this.all = all;
  }

  /** The first that matches the call and passes `test`, as if each had been tried. */
  first(call: Circumstances, test: Test): CompiledRule | undefined {
    if (this.all.length === 0) return undefined;
    const holds = (rule: CompiledRule) => test(rule) && rule.matches(call);
    if (this.all.length < MIN_INDEXED) return this.all.find(holds);
    this.#index ??= new AnchorIndex(this.all);
    const { always } = this.#index;
    const found = this.#index.isEmpty ? [] : this.#index.find(call.texts());
    if (!found) return this.all.find(holds);
    let next = 0;
    let other = 0;
    while (next < found.length || other < always.length) {
      const isFound = other >= always.length || (found[next] ?? Number.POSITIVE_INFINITY) < always[other]!;
      const rule = this.all[isFound ? found[next++]! : always[other++]!]!;
      if (holds(rule)) return rule;
    }
    return undefined;
  }
}

interface Places {
  readonly source: Source;
  readonly beginnings: LiteralTree<number>;
  readonly ends: LiteralTree<number>;
  readonly parts: LiteralTable<number>;
}

/** Where rules stand in their list, by what a call has to contain for them to match. */
class AnchorIndex {
  /** Those that nothing spelt out in them can rule out. */
  readonly always: readonly number[];
  readonly #places: readonly Places[];

  constructor(rules: readonly CompiledRule[]) {
    const uses = usesOf(rules);
    const always: number[] = [];
    const places = new Map<Channel, Places>();
    rules.forEach(({ pattern }, position) => {
      const anchors = rarest(pattern?.anchors ?? [], uses);
      if (anchors) for (const anchor of anchors) addPlace(places, anchor, position, uses);
      else always.push(position);
    });
    this.always = always;
    this.#places = [...places.values()];
  }

  get isEmpty(): boolean {
    return this.#places.length === 0;
  }

  /** In order, each once. Undefined: it may be any. */
  find(texts: CallTexts): readonly number[] | undefined {
    const found: number[] = [];
    for (const places of this.#places) {
      const there = texts.of(places.source);
      if (!there) return undefined;
      const { beginnings, ends, parts } = places;
      if (beginnings.mayHave(there.beginnings))
        for (const text of there.whole) beginnings.collect(text, found);
      if (ends.mayHave(there.ends)) for (const text of there.whole) ends.collect(text, found);
      if (parts.mayHave(there.lengths))
        for (const piece of there.pieces)
          if (parts.mayHave(piece.lengths)) for (const part of piece.parts) parts.collect(part, found);
    }
    if (found.length < 2) return found;
    const sorted = found.sort((a, b) => a - b);
    return sorted.filter((position, index) => position !== sorted[index - 1]);
  }
}

function addPlace(all: Map<Channel, Places>, anchor: Anchor, position: number, uses: Uses): void {
  const { channel } = anchor;
  const places = all.get(channel) ?? {
    source: sourceOf(channel),
    beginnings: new LiteralTree("beginning"),
    ends: new LiteralTree("end"),
    parts: new LiteralTable(),
  };
  all.set(channel, places);
  const { side, literal } = rarestSide(anchor, uses)!;
  places[LISTS[side]].add(literal, position);
}

/** How many anchors say the same. */
type Uses = ReadonlyMap<string, number>;
type Side = "beginning" | "end" | "part";
const SIDES: readonly Side[] = ["beginning", "end", "part"];
const LISTS = { beginning: "beginnings", end: "ends", part: "parts" } as const;

function usesOf(rules: readonly CompiledRule[]): Uses {
  const uses = new Map<string, number>();
  for (const { pattern } of rules)
    for (const anchor of pattern?.anchors.flat() ?? [])
      for (const side of SIDES) {
        const key = useKey(anchor, side);
        uses.set(key, (uses.get(key) ?? 0) + 1);
      }
  return uses;
}

function useKey(anchor: Anchor, side: Side): string {
  return `${side} ${anchor.channel} ${anchor[side]}`;
}

/** By what it shares with the fewest; undefined where nothing is spelt out. */
function rarestSide(
  anchor: Anchor,
  uses: Uses,
): { readonly side: Side; readonly literal: string; readonly count: number } | undefined {
  const sides = SIDES.flatMap((side) => {
    const literal = anchor[side] ?? "";
    return literal === "" ? [] : [{ side, literal, count: uses.get(useKey(anchor, side)) ?? 0 }];
  });
  return sides.toSorted((a, b) => a.count - b.count || b.literal.length - a.literal.length)[0];
}

/** Each of the lists has to be met by one of its anchors: the one that the fewest calls meet is enough. */
function rarest(lists: readonly (readonly Anchor[])[], uses: Uses): readonly Anchor[] | undefined {
  const costs = lists.map((anchors) =>
    anchors.length === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(...anchors.map((anchor) => rarestSide(anchor, uses)?.count ?? Number.POSITIVE_INFINITY)),
  );
  const least = Math.min(...costs);
  return least === Number.POSITIVE_INFINITY ? undefined : lists[costs.indexOf(least)];
}
