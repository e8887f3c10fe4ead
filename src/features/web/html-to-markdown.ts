import { blockHoldersIn, isBlock } from "../../machine/text/html/html-blocks.ts";
import * as tree from "../../machine/text/html/html-tree.ts";
import { isContent, isSurrounding } from "../../machine/text/html/main-content.ts";
import { renderInline, renderLink } from "./inline-markdown.ts";
import { renderTable } from "./markdown-table.ts";

export interface MarkdownOptions {
  /** The base of relative links. */
  readonly base: string;
  /** The approximate length at which the output ends. */
  readonly maxChars: number;
  /** Include navigation, headers and footers. */
  readonly wholePage: boolean;
}

export interface Markdown {
  readonly text: string;
  readonly isCut: boolean;
}

/** Renders the visible content of `root` as Markdown: headings, paragraphs, lists, tables, code, links, image texts. */
export function htmlToMarkdown(root: tree.HtmlElement, options: MarkdownOptions): Markdown {
  const conversion = new MarkdownConverter(root, options);
  const text = conversion.renderChildren(root, { inContent: isContent(root), nesting: 0 }).join("\n\n");
  return {
    text: text.slice(0, options.maxChars),
    isCut: conversion.isFull || text.length > options.maxChars,
  };
}

interface BlockContext {
  /** Inside an article, a header element is its headline. */
  readonly inContent: boolean;
  /** Depth of lists and quotes. */
  readonly nesting: number;
}

/** Deeper levels are not indented, because nobody could follow them. */
const MAX_NESTING = 12;
/** A link around blocks becomes one line of Markdown only if its text is this short. */
const MAX_CARD_CHARS = 200;

class MarkdownConverter {
  readonly #options: MarkdownOptions;
  readonly #blockHolders: ReadonlySet<tree.HtmlNode>;
  #left: number;

  constructor(root: tree.HtmlElement, options: MarkdownOptions) {
    this.#options = options;
    this.#blockHolders = blockHoldersIn(root);
    this.#left = options.maxChars;
  }

  get isFull(): boolean {
    return this.#left <= 0;
  }

  renderChildren(parent: tree.HtmlNode, place: BlockContext): string[] {
    const blocks: string[] = [];
    let line: tree.HtmlNode[] = [];
    const endLine = () => {
      const paragraph = this.#paragraph(line);
      if (paragraph !== "") blocks.push(paragraph);
      line = [];
    };
    for (const child of tree.childrenOf(parent)) {
      if (this.isFull) break;
      if (tree.isElement(child) && (isBlock(child) || this.#blockHolders.has(child))) {
        endLine();
        if (this.#isRead(child, place)) blocks.push(...this.#blocksOf(child, place));
      } else if (tree.isElement(child) ? tree.isShown(child) : tree.isText(child)) {
        line.push(child);
      }
    }
    endLine();
    return blocks;
  }

  #blocksOf(element: tree.HtmlElement, place: BlockContext): string[] {
    const inside = { ...place, inContent: place.inContent || isContent(element) };
    switch (element.tagName) {
      case "h1":
      case "h2":
      case "h3":
      case "h4":
      case "h5":
      case "h6":
        return this.#one(this.#heading(element, Number(element.tagName[1])));
      case "pre":
        return this.#one(this.#code(element));
      case "hr":
        return ["---"];
      case "ul":
      case "ol":
      case "menu":
        return this.#one(this.#list(element, inside));
      case "blockquote":
        return this.#one(this.#quote(element, inside));
      case "table":
        return this.#table(element, inside);
      case "dt":
        return this.#one(wrapText("**", this.#inline(tree.childrenOf(element))));
      case "a":
        return this.#card(element, inside);
      default:
        return this.renderChildren(element, inside);
    }
  }

  #isRead(element: tree.HtmlElement, { inContent }: BlockContext): boolean {
    return tree.isShown(element) && (this.#options.wholePage || !isSurrounding(element, inContent));
  }

  #paragraph(nodes: readonly tree.HtmlNode[]): string {
    const lines = this.#inline(nodes)
      .split("\n")
      .map((line) => line.trim());
    const text = lines.join("\n").trim();
    this.#spend(text);
    return escapeStarts(text);
  }

  #heading(element: tree.HtmlElement, level: number): string {
    const text = this.#inline(tree.childrenOf(element)).replace(/\s+/g, " ").trim();
    return text && `${"#".repeat(level)} ${text}`;
  }

  #code(element: tree.HtmlElement): string {
    const text = tree.rawTextOf(element, this.#left).replace(/^\n/, "").trimEnd();
    if (text === "") return "";
    const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
    const fence = "`".repeat(longest + 1);
    return `${fence}${detectLanguage(element)}\n${text}\n${fence}`;
  }

  #list(list: tree.HtmlElement, place: BlockContext): string {
    const items: string[] = [];
    const isOrdered = list.tagName === "ol";
    let number = isOrdered ? getFirstNumber(list) : 0;
    for (const child of tree.childrenOf(list)) {
      if (this.isFull) break;
      if (!tree.isElement(child) || !this.#isRead(child, place)) continue;
      const isItem = child.tagName === "li";
      const nested = { ...place, nesting: place.nesting + 1 };
      const blocks = isItem ? this.renderChildren(child, nested) : this.#blocksOf(child, nested);
      if (blocks.length === 0) continue;
      const mark = isOrdered && isItem ? `${number++}. ` : "- ";
      // A list directly inside a list belongs to the item before it.
      items.push(
        isItem ? indentItem(mark, joinItem(blocks), place.nesting) : indentItem("  ", joinItem(blocks), 0),
      );
    }
    return items.join("\n");
  }

  #quote(element: tree.HtmlElement, place: BlockContext): string {
    const inside = this.renderChildren(element, { ...place, nesting: place.nesting + 1 }).join("\n\n");
    if (inside === "" || place.nesting >= MAX_NESTING) return inside;
    return inside.replace(/^/gm, "> ").replace(/^> $/gm, ">");
  }

  #table(element: tree.HtmlElement, place: BlockContext): string[] {
    const table = renderTable(element, (cell) => this.#inline(tree.childrenOf(cell)));
    if (table === undefined) return this.renderChildren(element, place);
    return this.#one(table);
  }

  /** A link around blocks, such as the headline and image of an article. */
  #card(element: tree.HtmlElement, place: BlockContext): string[] {
    const words = tree.lineOf(element, MAX_CARD_CHARS + 1);
    if (words === "" || words.length > MAX_CARD_CHARS) return this.renderChildren(element, place);
    return this.#one(renderLink(words, tree.attribute(element, "href"), this.#options.base));
  }

  #inline(nodes: readonly tree.HtmlNode[]): string {
    return renderInline(nodes, { base: this.#options.base, maxChars: this.#left });
  }

  #one(block: string): string[] {
    this.#spend(block);
    return block === "" ? [] : [block];
  }

  #spend(text: string): void {
    this.#left -= text.length;
  }
}

/** Joins the blocks of a list item with blank lines, except before nested lists. */
function joinItem(blocks: readonly string[]): string {
  return blocks.reduce((text, block) => `${text}${/^(- |\d+\. )/.test(block) ? "\n" : "\n\n"}${block}`);
}

function indentItem(mark: string, text: string, nesting: number): string {
  if (nesting >= MAX_NESTING) return mark + text;
  const indent = " ".repeat(mark.length);
  return mark + text.replace(/\n(?!\n|$)/g, `\n${indent}`);
}

function wrapText(mark: string, text: string): string {
  const inner = text.replace(/\s+/g, " ").trim();
  return inner && `${mark}${inner}${mark}`;
}

function getFirstNumber(list: tree.HtmlElement): number {
  const start = Number.parseInt(tree.attribute(list, "start") ?? "1", 10);
  return Number.isSafeInteger(start) && start >= 0 && start < 1_000_000 ? start : 1;
}

/** Escapes text that only looks like a heading, a quote or a list. */
function escapeStarts(text: string): string {
  return text.replace(/^(#{1,6} |>|[-+*] |={3,}$|-{3,}$)/gm, "\\$1").replace(/^(\d{1,9})([.)] )/gm, "$1\\$2");
}

function detectLanguage(pre: tree.HtmlElement): string {
  const inner = tree.childrenOf(pre).find(tree.isElement);
  const classes = [pre, inner]
    .map((element) => (element ? (tree.attribute(element, "class") ?? "") : ""))
    .join(" ");
  return (
    /(?:^|\s)(?:language|lang|highlight-source|brush:)-?\s*([a-z0-9+#.-]{1,20})/i.exec(classes)?.[1] ?? ""
  );
}
