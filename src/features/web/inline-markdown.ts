import * as tree from "../../machine/text/html/html-tree.ts";
import { visibleText } from "../../machine/text/html/visible-text.ts";
import { resolveWebAddress } from "./web-address.ts";

export interface InlineOptions {
  readonly base: string;
  readonly maxChars: number;
}

/** A part of a line as Markdown. Runs of white space are one space; `<br>` is a line end. */
export function inlineMarkdown(nodes: readonly tree.HtmlNode[], options: InlineOptions): string {
  return lineMarkdown(nodes, options)
    .replace(/ {2,}/g, " ")
    .replace(/ ?\n ?/g, "\n");
}

/** Not tidied up yet: that is done once, however deep elements nest. */
function lineMarkdown(nodes: readonly tree.HtmlNode[], { base, maxChars }: InlineOptions): string {
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
    else if (tree.isElement(node) && tree.isShown(node)) add(elementMarkdown(node, { base, maxChars: left }));
  }
  return pieces.join("");
}

/** The link as Markdown; only the words where it leads nowhere on the web. */
export function linked(words: string, href: string | undefined, base: string): string {
  const text = words.replace(/\s+/g, " ").trim();
  if (href === undefined || href.startsWith("#") || text === "") return text;
  const address = /^mailto:[^\s<>]{1,200}$/i.test(href) ? href : resolveWebAddress(href, base)?.href;
  if (address === undefined || address.length > MAX_HREF) return text;
  // What closes the words of an image inside the link stays as it is.
  return `[${text.replace(/\](?!\()/g, "\\]")}](${address.replaceAll("(", "%28").replaceAll(")", "%29")})`;
}

const MAX_HREF = 1_000;

function elementMarkdown(element: tree.HtmlElement, options: InlineOptions): string {
  const inside = () => lineMarkdown(tree.childrenOf(element), options);
  switch (element.tagName) {
    case "br":
      return "\n";
    case "a":
      return spaced(inside(), (text) => linked(text, tree.attribute(element, "href"), options.base));
    case "strong":
    case "b":
      return spaced(inside(), (text) => `**${text}**`);
    case "em":
    case "i":
      return spaced(inside(), (text) => `*${text}*`);
    case "del":
    case "s":
      return spaced(inside(), (text) => `~~${text}~~`);
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return spaced(inside(), codeSpan);
    case "sup":
    case "sub":
      return spaced(inside(), (text) =>
        text.startsWith("[") ? text : `<${element.tagName}>${text}</${element.tagName}>`,
      );
    case "q":
      return spaced(inside(), (text) => `“${text}”`);
    case "img":
      return imageMarkdown(element, options.base);
    case "wbr":
      return "";
    default:
      return inside();
  }
}

/** White space at the edges stays outside of the marks, which do not count beside it. */
function spaced(inside: string, mark: (text: string) => string): string {
  const text = inside.trim();
  if (text === "") return inside === "" ? "" : " ";
  const before = /^\s/.test(inside) ? " " : "";
  const after = /\s$/.test(inside) ? " " : "";
  return `${before}${mark(text)}${after}`;
}

function codeSpan(text: string): string {
  const line = text.replace(/\n/g, " ");
  if (!line.includes("`")) return `\`${line}\``;
  const longest = Math.max(...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${line} ${fence}`;
}

/** The words that stand for the image; one without words is decoration. */
function imageMarkdown(element: tree.HtmlElement, base: string): string {
  const words = visibleText(tree.attribute(element, "alt") ?? "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 300);
  if (words === "") return "";
  const link = linked(words, tree.attribute(element, "src"), base);
  return link.startsWith("[") && link.endsWith(")") ? `!${link}` : `![${words.replaceAll("]", "\\]")}]`;
}
