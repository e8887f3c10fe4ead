import * as tree from "../../machine/text/html/html-tree.ts";
import { resolveWebAddress } from "./web-address.ts";
import type { WebPage } from "./web-page.ts";

export interface PageLink {
  readonly url: string;
  /** What it says; empty where it is only a picture without words. */
  readonly text: string;
}

const MAX_LINKS = 20_000;

/** Where a page leads, each address once, in the order of the page; without links to places of the page itself. */
export function linksOfPage({ body, base }: WebPage, address: string): PageLink[] {
  const found: PageLink[] = [];
  if (!body) return found;
  for (const node of tree.walkTree(body)) {
    if (!tree.isElement(node) || (node.tagName !== "a" && node.tagName !== "area")) continue;
    const url = resolveWebAddress(tree.attribute(node, "href")?.trim() || "#", base);
    if (url) found.push({ url: withoutFragment(url), text: wordsOf(node) });
    if (found.length >= MAX_LINKS) break;
  }
  return eachOnce(found, withoutFragment(new URL(address)));
}

/** The addresses that stand in a text. */
export function linksOfText(text: string, address: string): PageLink[] {
  const found: PageLink[] = [];
  for (const [written] of text.matchAll(/\bhttps?:\/\/[^\s<>"'`\\^{|}[\]]{1,2000}/gi)) {
    const url = resolveWebAddress(written.replace(/[.,;:!?)*_]+$/, ""), address);
    if (url) found.push({ url: withoutFragment(url), text: "" });
    if (found.length >= MAX_LINKS) break;
  }
  return eachOnce(found, withoutFragment(new URL(address)));
}

function eachOnce(links: readonly PageLink[], self: string): PageLink[] {
  const byUrl = new Map<string, PageLink>();
  for (const link of links) {
    const known = byUrl.get(link.url);
    if (link.url !== self && (!known || (known.text === "" && link.text !== ""))) byUrl.set(link.url, link);
  }
  return [...byUrl.values()];
}

function withoutFragment(url: URL): string {
  return url.href.replace(/#.*$/s, "");
}

/** Its text, else what stands for its picture, else its title. */
function wordsOf(link: tree.HtmlElement): string {
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
