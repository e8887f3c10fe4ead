import { setImmediate as nextTask } from "node:timers/promises";
import type { DefaultTreeAdapterMap, DefaultTreeAdapterTypes, TreeAdapter } from "parse5";

export interface ParsedHtml {
  readonly document: DefaultTreeAdapterTypes.Document;
  /** There was more of it than is read. */
  readonly isCut: boolean;
}

/** Larger than nearly every page; what comes after is left out. */
export const HTML_LIMITS = { chars: 5_000_000, nodes: 60_000, depth: 1_000, ms: 3_000 } as const;
export type HtmlLimits = { readonly [Limit in keyof typeof HTML_LIMITS]: number };

/** Small, because a page can be written so that every tag of it is costly. */
const PIECE = 4_096;
/** Parsing yields to other work after this many milliseconds. */
const TURN_MS = 10;

/**
 * The tree of a page, of as much as the limits let in: pages are written by strangers, some to keep a parser busy or to
 * fill its memory. Read piece by piece, so that nothing else waits for it. Rejects only when `signal` aborts.
 */
export async function parseHtml(
  html: string,
  signal: AbortSignal,
  limits: HtmlLimits = HTML_LIMITS,
): Promise<ParsedHtml> {
  const { Parser, defaultTreeAdapter } = await import("parse5"); // late: many a daemon never needs it
  const parser = new Parser<DefaultTreeAdapterMap>({ treeAdapter: bounded(defaultTreeAdapter, limits) });
  const text = html.slice(0, limits.chars);
  let spentMs = 0;
  for (let at = 0; at < text.length || at === 0; ) {
    const began = performance.now();
    while ((at < text.length || at === 0) && performance.now() - began < TURN_MS) {
      const isLast = at + PIECE >= text.length;
      if (!write(parser, text.slice(at, at + PIECE), isLast))
        return { document: parser.document, isCut: true };
      at += PIECE;
    }
    spentMs += performance.now() - began;
    if (spentMs > limits.ms && at < text.length) return { document: parser.document, isCut: true };
    await nextTask();
    signal.throwIfAborted();
  }
  return { document: parser.document, isCut: text.length < html.length };
}

/** False when it is too much. */
function write(
  { tokenizer }: { readonly tokenizer: { write(chunk: string, isLast: boolean): void } },
  chunk: string,
  isLast: boolean,
): boolean {
  try {
    tokenizer.write(chunk, isLast);
    return true;
  } catch (thrown) {
    if (thrown instanceof TooMuch) return false;
    throw thrown;
  }
}

class TooMuch extends Error {}

type Adapter = TreeAdapter<DefaultTreeAdapterMap>;

/** A few bytes can ask for thousands of elements, so they are counted where they are made. */
function bounded(adapter: Adapter, limits: HtmlLimits): Adapter {
  let nodes = 0;
  let depth = 0;
  const count = () => {
    if (++nodes > limits.nodes) throw new TooMuch();
  };
  return {
    ...adapter,
    createElement(...made) {
      count();
      return adapter.createElement(...made);
    },
    createCommentNode(...made) {
      count();
      return adapter.createCommentNode(...made);
    },
    onItemPush() {
      if (++depth > limits.depth) throw new TooMuch();
    },
    onItemPop() {
      depth--;
    },
  };
}
