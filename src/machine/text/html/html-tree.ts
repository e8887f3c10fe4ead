import type { DefaultTreeAdapterTypes } from "parse5";
import { visibleText } from "./visible-text.ts";

export type HtmlNode = DefaultTreeAdapterTypes.Node;
export type HtmlElement = DefaultTreeAdapterTypes.Element;
export type HtmlParent = DefaultTreeAdapterTypes.ParentNode;

/** Pages can nest without limit, so walking a tree uses its own stack instead of recursion. */
export function* walkTree(
  root: HtmlNode,
  enters: (element: HtmlElement) => boolean = () => true,
): Generator<HtmlNode> {
  const stack: HtmlNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if (isElement(node) && !enters(node)) continue;
    const children = childrenOf(node);
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index]!);
  }
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return "tagName" in node;
}

export function isText(node: HtmlNode): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === "#text";
}

/** The contents of a template are not part of the page. */
export function childrenOf(node: HtmlNode): readonly HtmlNode[] {
  return "childNodes" in node ? node.childNodes : [];
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

export function findElement(
  root: HtmlNode,
  fits: (element: HtmlElement) => boolean,
  enters?: (element: HtmlElement) => boolean,
): HtmlElement | undefined {
  for (const node of walkTree(root, enters)) if (isElement(node) && fits(node)) return node;
  return undefined;
}

/** The text below `node` on one line, at most about `max` characters of it. */
export function lineOf(node: HtmlNode, max = 1_000): string {
  let line = "";
  for (const inner of walkTree(node, isShown)) {
    if (isText(inner)) line += inner.value.slice(0, max);
    else if (isElement(inner)) line += " ";
    if (line.length > max * 4) break;
  }
  const clean = visibleText(line).replace(/\s+/g, " ").trim();
  return clean.length > max ? `${clean.slice(0, max)}…` : clean;
}

/** The text below `node` with its line ends, at most `max` characters of it. */
export function rawTextOf(node: HtmlNode, max: number): string {
  const pieces: string[] = [];
  let left = max;
  for (const inner of walkTree(node, isShown)) {
    const piece = isText(inner) ? inner.value : isElement(inner) && inner.tagName === "br" ? "\n" : "";
    pieces.push(piece.slice(0, left));
    left -= piece.length;
    if (left <= 0) break;
  }
  return visibleText(pieces.join(""));
}

const NEVER_SHOWN = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "svg",
  "iframe",
  "object",
  "embed",
  "canvas",
  "audio",
  "video",
  "button",
  "input",
  "select",
  "textarea",
  "dialog",
  "head",
]);

/** False for what a reader of the page does not see as text. */
export function isShown(element: HtmlElement): boolean {
  if (NEVER_SHOWN.has(element.tagName)) return false;
  return element.attrs.every(
    ({ name, value }) =>
      name !== "hidden" &&
      !(name === "aria-hidden" && value === "true") &&
      !(name === "style" && UNSEEN_STYLE.test(value)),
  );
}

const UNSEEN_STYLE =
  /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden|(opacity|font-size)\s*:\s*0+(\.0*)?(px|em|rem|pt|%)?\s*($|[;!]))/i;
