import * as tree from "./html-tree.ts";

/** The share of a page's text that an element must contain to be its main content. */
const MOST = 0.8;
/** A page that marks its main part may have much around it. */
const MARKED = 0.25;

/**
 * Finds the main content of a page: the element marked as `main`, or the only `article`, otherwise the innermost block
 * that holds most of the prose. Links are not prose, so lists of links weigh little. Contains at least 80 % of the
 * prose, unless the page marks it itself.
 */
export function mainContentOf(body: tree.HtmlElement): tree.HtmlElement {
  const prose = proseIn(body);
  const weight = (node: tree.HtmlNode) => prose.get(node) ?? 0;
  const marked = markedIn(body);
  const start = marked && weight(marked) >= weight(body) * MARKED ? marked : body;

  let current = start;
  for (;;) {
    const heaviest = tree
      .childrenOf(current)
      .filter(tree.isElement)
      .filter((child) => BLOCKS.has(child.tagName) && weight(child) >= weight(current) * MOST)
      .at(0);
    if (heaviest === undefined || weight(heaviest) === 0) return current;
    current = heaviest;
  }
}

/** True for the parts that surround the content on every page of a site. */
export function isSurrounding(element: tree.HtmlElement, isInContent: boolean): boolean {
  const role = tree.attribute(element, "role");
  if (element.tagName === "nav" || element.tagName === "aside") return true;
  if (role !== undefined && SURROUNDING_ROLES.has(role)) return true;
  // Inside an article a header is its headline, and a footer its notes.
  return !isInContent && (element.tagName === "header" || element.tagName === "footer");
}

/** True if the element contains separate content. */
export function isContent({ tagName }: tree.HtmlElement): boolean {
  return tagName === "main" || tagName === "article" || tagName === "section";
}

const SURROUNDING_ROLES = new Set([
  "navigation",
  "banner",
  "contentinfo",
  "search",
  "complementary",
  "dialog",
]);
const BLOCKS = new Set(["div", "section", "article", "main", "center", "td", "tr", "tbody", "table", "form"]);

function markedIn(body: tree.HtmlElement): tree.HtmlElement | undefined {
  const main = tree.findElement(
    body,
    (element) => element.tagName === "main" || tree.attribute(element, "role") === "main",
  );
  if (main) return main;
  const articles: tree.HtmlElement[] = [];
  for (const node of tree.walkTree(body))
    if (tree.isElement(node) && node.tagName === "article" && articles.push(node) > 1) return undefined;
  return articles[0];
}

/** How many characters of text that is no link stand below each element. */
function proseIn(body: tree.HtmlElement): Map<tree.HtmlNode, number> {
  const prose = new Map<tree.HtmlNode, number>();
  const counts = (element: tree.HtmlElement) =>
    tree.isShown(element) && element.tagName !== "a" && !isSurrounding(element, true);
  const order: tree.HtmlNode[] = [];
  for (const node of tree.walkTree(body, counts)) order.push(node);
  // Children come after their parents, so backwards each is complete when it is added to its parent.
  for (let index = order.length - 1; index >= 0; index--) {
    const node = order[index]!;
    const own = tree.isText(node) ? node.value.trim().length : (prose.get(node) ?? 0);
    const parent = "parentNode" in node ? node.parentNode : null;
    if (own > 0 && parent) prose.set(parent, (prose.get(parent) ?? 0) + own);
  }
  return prose;
}
