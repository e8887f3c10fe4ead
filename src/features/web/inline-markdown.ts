import * as tree from "../../machine/text/html/html-tree.ts";
import { visibleText } from "../../machine/text/html/visible-text.ts";
import { resolveWebAddress } from "./web-address.ts";

export interface InlineOptions {
  readonly base: string;
  readonly maxChars: number;
}

/** Renders inline nodes as Markdown. Runs of white space become one space, `<br>` a newline. */
export function renderInline(nodes: readonly tree.HtmlNode[], options: InlineOptions): string {
  return renderNodes(nodes, options)
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n");
}

/** Leaves white space as it is; the caller tidies up once, however deep elements nest. */
function renderNodes(nodes: readonly tree.HtmlNode[], { base, maxChars }: InlineOptions): string {
  const pieces: string[] = [];
  let left = maxChars;
  const add = (piece: string) => {
    if (piece === "" || left <= 0) return;
    pieces.push(piece.slice(0, left));
    left -= piece.length;
  };
  for (const node of nodes) {
    if (left <= 0) break;
    if (tree.isText(node)) add(visibleText(node.value.slice(0, left)).replace(/\s+/g, " "));
    else if (tree.isElement(node) && tree.isShown(node)) add(renderElement(node, { base, maxChars: left }));
  }
  return pieces.join("");
}

/** Renders a link as Markdown; only its text if it has no web address. */
export function renderLink(words: string, href: string | undefined, base: string): string {
  const text = words.replace(/\s+/g, " ").trim();
  if (href === undefined || href.startsWith("#") || text === "") return text;
  const address = /^mailto:[^\s<>]{1,200}$/i.test(href) ? href : resolveWebAddress(href, base)?.href;
  if (address === undefined || address.length > MAX_HREF) return text;
  // The bracket that closes an image inside the link must stay unescaped.
  return `[${text.replace(/\](?!\()/g, "\\]")}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

const MAX_HREF = 1_000;

function renderElement(element: tree.HtmlElement, options: InlineOptions): string {
  const renderChildren = () => renderNodes(tree.childrenOf(element), options);
  switch (element.tagName) {
    case "br":
      return "\n";
    case "a":
      return markTrimmed(renderChildren(), (text) =>
        renderLink(text, tree.attribute(element, "href"), options.base),
      );
    case "strong":
    case "b":
      return markTrimmed(renderChildren(), (text) => `**${text}**`);
    case "em":
    case "i":
      return markTrimmed(renderChildren(), (text) => `*${text}*`);
    case "del":
    case "s":
      return markTrimmed(renderChildren(), (text) => `~~${text}~~`);
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return markTrimmed(renderChildren(), renderCodeSpan);
    case "sup":
    case "sub":
      return markTrimmed(renderChildren(), (text) =>
        text.startsWith("[") ? text : `<${element.tagName}>${text}</${element.tagName}>`,
      );
    case "q":
      return markTrimmed(renderChildren(), (text) => `“${text}”`);
    case "img":
      return renderImage(element, options.base);
    case "wbr":
      return "";
    default:
      return renderChildren();
  }
}

/** Keeps white space at the edges outside the marks, which would not work next to it. */
function markTrimmed(inside: string, mark: (text: string) => string): string {
  const text = inside.trim();
  if (text === "") return inside === "" ? "" : " ";
  const before = /^\s/.test(inside) ? " " : "";
  const after = /\s$/.test(inside) ? " " : "";
  return `${before}${mark(text)}${after}`;
}

function renderCodeSpan(text: string): string {
  const line = text.replace(/\n/g, " ");
  if (!line.includes("`")) return `\`${line}\``;
  const longest = Math.max(...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** Renders the alternative text of an image. An image without one is decoration. */
function renderImage(element: tree.HtmlElement, base: string): string {
  const words = visibleText(tree.attribute(element, "alt") ?? "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);
  if (words === "") return "";
  const link = renderLink(words, tree.attribute(element, "src"), base);
  return link.startsWith("[") && link.endsWith(")") ? `!${link}` : `![${words.replaceAll("]", "\\]")}]`;
}
