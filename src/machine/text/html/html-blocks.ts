import { type HtmlElement, type HtmlNode, isElement, walkTree } from "./html-tree.ts";

const BLOCKS = new Set([
  ...[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
  ],
  ...[
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
  ],
  ...["h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol"],
  ...[
    "optgroup",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
  ],
  ...["thead", "tr", "ul", "xmp"],
]);

/** True if the element begins a new line. */
export function isBlock({ tagName }: HtmlElement): boolean {
  return BLOCKS.has(tagName);
}

/** Every element below `root` that has a block somewhere inside: it cannot be part of a line. */
export function blockHoldersIn(root: HtmlElement): ReadonlySet<HtmlNode> {
  const holders = new Set<HtmlNode>();
  for (const node of walkTree(root)) {
    if (!isElement(node) || !isBlock(node)) continue;
    for (let above = node.parentNode; above && above !== root && !holders.has(above); ) {
      holders.add(above);
      above = "parentNode" in above ? above.parentNode : null;
    }
  }
  return holders;
}
