import { blockHoldersIn, isBlock } from "../../../machine/text/html/html-blocks.ts";
import * as tree from "../../../machine/text/html/html-tree.ts";
import { mainContentOf } from "../../../machine/text/html/main-content.ts";
import { parseHtml } from "../../../machine/text/html/parse-html.ts";
import { visibleText } from "../../../machine/text/html/visible-text.ts";
import { storableText } from "./decode.ts";
import { type ParsedDocument, tagsOf, timeOf, titleOf } from "./parsed-document.ts";
import { TextBuilder } from "./text-builder.ts";

const LIMITS = { chars: 20_000_000, nodes: 400_000, depth: 1_000, ms: 10_000 };
const HEADING = /^h([1-6])$/;

/** The visible text of a page, by headings, paragraphs, items and rows. */
export async function parseHtmlText(html: string): Promise<ParsedDocument> {
  const { document, isCut } = await parseHtml(html, NEVER, LIMITS);
  const body = tree.findElement(document, ({ tagName }) => tagName === "body");
  const head = tree.findElement(document, ({ tagName }) => tagName === "head");
  const about = head ? aboutIn(head) : new Map<string, string>();
  const out = new TextBuilder();
  if (body) writeBlocks(mainContentOf(body), out);
  const built = out.build();
  const heading = built.blocks.find((block) => block.kind === "heading");
  const title =
    titleOf(storableText(about.get("title") ?? "")) || (heading?.kind === "heading" ? heading.title : "");
  const documentAt = ["article:published_time", "date", "dcterms.date"]
    .map((name) => timeOf(about.get(name)))
    .find((time) => time !== undefined);
  const description = about.get("description");
  return {
    title,
    type: "html",
    tags: tagsOf((about.get("keywords") ?? "").split(",")),
    ...(documentAt !== undefined && { documentAt }),
    metadata: {
      ...(description && { description: titleOf(storableText(description)) }),
      ...(isCut && { cut: true }),
    },
    ...built,
  };
}

const NEVER = new AbortController().signal;

/** Title and `meta` by name. */
function aboutIn(head: tree.HtmlElement): Map<string, string> {
  const about = new Map<string, string>();
  for (const node of tree.walkTree(head)) {
    if (!tree.isElement(node)) continue;
    if (node.tagName === "title" && !about.has("title")) about.set("title", textIn(node));
    if (node.tagName !== "meta") continue;
    const name = (tree.attribute(node, "name") ?? tree.attribute(node, "property"))?.toLowerCase();
    const content = tree.attribute(node, "content");
    if (name !== undefined && content !== undefined && !about.has(name))
      about.set(name, content.slice(0, 2_000));
  }
  return about;
}

function textIn(element: tree.HtmlElement): string {
  return tree
    .childrenOf(element)
    .filter(tree.isText)
    .map(({ value }) => value)
    .join("")
    .slice(0, 2_000);
}

/** Every element that holds no block is one; what stands between blocks is one, too. */
function writeBlocks(root: tree.HtmlElement, out: TextBuilder): void {
  const holders = blockHoldersIn(root);
  let loose: string[] = [];
  const settle = () => {
    const text = oneLine(loose.join(""));
    loose = [];
    if (text !== "") out.paragraph(text);
  };
  const isWhole = (element: tree.HtmlElement) =>
    isRow(element, holders) || (isBlock(element) && !holders.has(element));
  const enters = (element: tree.HtmlElement) =>
    element === root || (tree.isShown(element) && !isWhole(element));
  for (const node of tree.walkTree(root, enters)) {
    if (out.isFull) return;
    if (tree.isText(node)) loose.push(node.value);
    else if (tree.isElement(node) && node !== root && tree.isShown(node)) {
      if (node.tagName === "br") loose.push("\n");
      else if (isWhole(node)) {
        settle();
        writeBlock(node, out);
      } else if (holders.has(node)) settle();
    }
  }
  settle();
}

/** A row of a table that holds text alone; others lay a page out. */
function isRow(element: tree.HtmlElement, holders: ReadonlySet<tree.HtmlNode>): boolean {
  return element.tagName === "tr" && !tree.childrenOf(element).some((cell) => holders.has(cell));
}

function writeBlock(element: tree.HtmlElement, out: TextBuilder): void {
  const { tagName } = element;
  const level = HEADING.exec(tagName)?.[1];
  if (level !== undefined) out.heading(Number(level), storableText(tree.lineOf(element)));
  else if (tagName === "pre") out.lines(storableText(tree.rawTextOf(element, MAX_BLOCK)));
  else if (tagName === "li") out.line(`- ${inline(element)}`);
  else if (tagName === "tr")
    out.line(
      tree
        .childrenOf(element)
        .filter(tree.isElement)
        .map(inline)
        .filter((cell) => cell !== "")
        .join(" | "),
    );
  else if (tagName === "dt" || tagName === "dd") out.line(inline(element));
  else out.paragraph(inline(element));
}

const MAX_BLOCK = 1_000_000;

function inline(node: tree.HtmlNode): string {
  return oneLine(tree.rawTextOf(node, MAX_BLOCK));
}

/** Collapses white space as a browser does; line breaks stay. */
function oneLine(text: string): string {
  return storableText(
    visibleText(text)
      .replace(/[ \t\r\f\n\u00a0]+/g, " ")
      .trim(),
  );
}
