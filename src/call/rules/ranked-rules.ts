import { LiteralTable } from "../../lib/text/literal-table.ts";
import { LiteralTree } from "../../lib/text/literal-tree.ts";
import { type CallTexts, sourceOf, type TextSource } from "./call-texts.ts";
import type { Circumstances, CompiledRule } from "./compiled-rule.ts";
import type { Anchor, Channel } from "./paths/anchors.ts";

type Test = (rule: CompiledRule) => boolean;

/** Shorter lists are tried one rule after the other. */
const MIN_INDEXED = 6;

/** Rules about the same tools, most specific first. */
export class RankedRules {
  readonly all: readonly CompiledRule[];
  #index: AnchorIndex | undefined;

  constructor(all: readonly CompiledRule[]) {
    this.all = all;
  }

  /** The first rule that matches the call and passes `test`, as if each had been tried. */
  findFirst(call: Circumstances, test: Test): CompiledRule | undefined {
    if (this.all.length === 0) return undefined;
    const isMatch = (rule: CompiledRule) => test(rule) && rule.matches(call);
    if (this.all.length < MIN_INDEXED) return this.all.find(isMatch);
    this.#index ??= new AnchorIndex(this.all);
    const { always } = this.#index;
    const found = this.#index.isEmpty ? [] : this.#index.find(call.texts());
    if (!found) return this.all.find(isMatch);
    let nextFound = 0;
    let nextAlways = 0;
    while (nextFound < found.length || nextAlways < always.length) {
      const isFound =
        nextAlways >= always.length || (found[nextFound] ?? Number.POSITIVE_INFINITY) < always[nextAlways]!;
      const rule = this.all[isFound ? found[nextFound++]! : always[nextAlways++]!]!;
      if (isMatch(rule)) return rule;
    }
    return undefined;
  }
}

interface AnchorTables {
  readonly source: TextSource;
  readonly beginnings: LiteralTree<number>;
  readonly ends: LiteralTree<number>;
  readonly parts: LiteralTable<number>;
}

/** The positions of rules in their list, by what a call must contain for them to match. */
class AnchorIndex {
  /** Rules that nothing spelled out in them can exclude. */
  readonly always: readonly number[];
  readonly #tables: readonly AnchorTables[];

  constructor(rules: readonly CompiledRule[]) {
    const uses = countUses(rules);
    const always: number[] = [];
    const tables = new Map<Channel, AnchorTables>();
    rules.forEach(({ pattern }, position) => {
      const anchors = rarestAnchors(pattern?.anchors ?? [], uses);
      if (anchors) for (const anchor of anchors) addAnchor(tables, anchor, position, uses);
      else always.push(position);
    });
    this.always = always;
    this.#tables = [...tables.values()];
  }

  get isEmpty(): boolean {
    return this.#tables.length === 0;
  }

  /** Sorted, without duplicates. Undefined: any rule may match. */
  find(texts: CallTexts): readonly number[] | undefined {
    const found: number[] = [];
    for (const tables of this.#tables) {
      const channel = texts.get(tables.source);
      if (!channel) return undefined;
      const { beginnings, ends, parts } = tables;
      if (beginnings.mayHave(channel.beginnings))
        for (const text of channel.whole) beginnings.collect(text, found);
      if (ends.mayHave(channel.ends)) for (const text of channel.whole) ends.collect(text, found);
      if (parts.mayHave(channel.lengths))
        for (const piece of channel.pieces)
          if (parts.mayHave(piece.lengths)) for (const part of piece.parts) parts.collect(part, found);
    }
    if (found.length < 2) return found;
    const sorted = found.sort((a, b) => a - b);
    return sorted.filter((position, index) => position !== sorted[index - 1]);
  }
}

function addAnchor(all: Map<Channel, AnchorTables>, anchor: Anchor, position: number, uses: Uses): void {
  const { channel } = anchor;
  const tables = all.get(channel) ?? {
    source: sourceOf(channel),
    beginnings: new LiteralTree("beginning"),
    ends: new LiteralTree("end"),
    parts: new LiteralTable(),
  };
  all.set(channel, tables);
  const { side, literal } = rarestSide(anchor, uses)!;
  tables[TABLES[side]].add(literal, position);
}

/** How many anchors say the same. */
type Uses = ReadonlyMap<string, number>;
type Side = "beginning" | "end" | "part";
const SIDES: readonly Side[] = ["beginning", "end", "part"];
const TABLES = { beginning: "beginnings", end: "ends", part: "parts" } as const;

function countUses(rules: readonly CompiledRule[]): Uses {
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

/** The side that the fewest anchors share; undefined where nothing is spelled out. */
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

/** A call must meet one anchor of every list, so looking at the list that the fewest calls meet is enough. */
function rarestAnchors(lists: readonly (readonly Anchor[])[], uses: Uses): readonly Anchor[] | undefined {
  const costs = lists.map((anchors) =>
    anchors.length === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(...anchors.map((anchor) => rarestSide(anchor, uses)?.count ?? Number.POSITIVE_INFINITY)),
  );
  const least = Math.min(...costs);
  return least === Number.POSITIVE_INFINITY ? undefined : lists[costs.indexOf(least)];
}
