import * as tree from "../../machine/text/html/html-tree.ts";
import { resolveWebAddress } from "./web-address.ts";
import type { WebPage } from "./web-page.ts";

export interface PageLink {
  readonly url: string;
  /** The text of the link; empty for an image without alternative text. */
  readonly text: string;
}

const MAX_LINKS = 20_000;

/** The links of a page in order, each address once, without links to the page itself. */
export function findPageLinks({ body, base }: WebPage, address: string): PageLink[] {
  const links: PageLink[] = [];
  if (!body) return links;
  for (const node of tree.walkTree(body)) {
    if (!tree.isElement(node) || (node.tagName !== "a" && node.tagName !== "area")) continue;
    const url = resolveWebAddress(tree.attribute(node, "href")?.trim() || "#", base);
    if (url) links.push({ url: stripFragment(url), text: findLinkText(node) });
    if (links.length >= MAX_LINKS) break;
  }
  return removeDuplicates(links, stripFragment(new URL(address)));
}

/** The addresses in a text. */
export function findTextLinks(text: string, address: string): PageLink[] {
  const links: PageLink[] = [];
  for (const [match] of text.matchAll(/\bhttps?:\/\/[^\s<>"'`\\^{|}[\]]{1,2000}/gi)) {
    const url = resolveWebAddress(match.replace(/[.,;:!?)*_]+$/, ""), address);
    if (url) links.push({ url: stripFragment(url), text: "" });
    if (links.length >= MAX_LINKS) break;
  }
  return removeDuplicates(links, stripFragment(new URL(address)));
}

function removeDuplicates(links: readonly PageLink[], self: string): PageLink[] {
  const byUrl = new Map<string, PageLink>();
  for (const link of links) {
    const known = byUrl.get(link.url);
    if (link.url !== self && (!known || (known.text === "" && link.text !== ""))) byUrl.set(link.url, link);
  }
  return [...byUrl.values()];
}

function stripFragment(url: URL): string {
  return url.href.replace(/#.*$/s, "");
}

/** Its text, otherwise the alternative text of its image, otherwise its title. */
function findLinkText(link: tree.HtmlElement): string {
  const text = tree.lineOf(link, 200);
  if (text !== "") return text;
  for (const node of tree.walkTree(link, tree.isShown)) {
    const alt = tree.isElement(node)
      ? (tree.attribute(node, "alt") ?? tree.attribute(node, "aria-label"))
      : undefined;
    if (alt?.trim()) return alt.replace(/\s+/g, " ").trim().slice(0, 200);
  }
  return (tree.attribute(link, "title") ?? "").replace(/\s+/g, " ").trim().slice(0, 200);
}
