import * as tree from "./html-tree.ts";

/** Of the text of a page, this share has to be below one element for that element to be what the page is about. */
const MOST = 0.8;
/** A page that marks its main part may have much around it. */
const MARKED = 0.25;

/**
 * The part of the page that is about its subject: what is marked as `main` or as the only `article`, else the innermost
 * block that holds most of the prose. Links do not count as prose, so lists of them weigh little. Never less than
 * 80 % of what is there, unless the page itself marks it.
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

/** What surrounds the subject on every page of a site. */
export function isSurrounding(element: tree.HtmlElement, isInContent: boolean): boolean {
  const role = tree.attribute(element, "role");
  if (element.tagName === "nav" || element.tagName === "aside") return true;
  if (role !== undefined && SURROUNDING_ROLES.has(role)) return true;
  // Inside an article a header is its headline, and a footer its notes.
  return !isInContent && (element.tagName === "header" || element.tagName === "footer");
}

/** Whether what is inside belongs to a subject of its own. */
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
