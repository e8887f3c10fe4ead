import { setImmediate as nextTask } from "node:timers/promises";
import {
  attribute,
  findElement,
  type HtmlElement,
  type HtmlNode,
  isElement,
  lineOf,
  walkTree,
} from "../../machine/text/html/html-tree.ts";
import { mainContentOf } from "../../machine/text/html/main-content.ts";
import { parseHtml } from "../../machine/text/html/parse-html.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import { resolveWebAddress } from "./web-address.ts";

/** A page of HTML that was read. */
export interface WebPage {
  readonly title: string;
  /** What the page says about itself in one sentence. */
  readonly description: string;
  /** Where the page sends its reader by itself. */
  readonly leadsTo: string | undefined;
  /** What its links are relative to. */
  readonly base: string;
  readonly body: HtmlElement | undefined;
  /** There was more of it than is read. */
  readonly isCut: boolean;
}

export async function readWebPage(html: string, address: string, signal: AbortSignal): Promise<WebPage> {
  const { document, isCut } = await parseHtml(html, signal);
  const base = findElement(document, (element) => element.tagName === "base" && hasHref(element), isHead);
  const own = base && resolveWebAddress(attribute(base, "href")!, address)?.href;
  const title = findElement(document, isTitle, isHead);
  return {
    title: title ? lineOfTitle(title) : "",
    description: metaOf(document, "description") ?? metaOf(document, "og:description") ?? "",
    leadsTo: refreshOf(document, own ?? address),
    base: own ?? address,
    body: findElement(document, (element) => element.tagName === "body", isHead),
    isCut,
  };
}

/** With so little in its main part, a page is shown whole. */
const HARDLY_ANYTHING = 200;

/** The page as Markdown: its main part, or all of it. In steps, each of which is long enough for a large page. */
export async function pageMarkdown(
  page: WebPage,
  { wholePage, maxChars }: { readonly wholePage: boolean; readonly maxChars: number },
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  if (!page.body) return { text: "", isCut: page.isCut };
  const options = { base: page.base, maxChars };
  if (!wholePage) {
    const part = mainContentOf(page.body);
    await nextTask();
    const main = htmlToMarkdown(part, { ...options, wholePage: false });
    if (main.text.length >= HARDLY_ANYTHING) return { text: main.text, isCut: main.isCut || page.isCut };
  }
  await nextTask();
  const whole = htmlToMarkdown(page.body, { ...options, wholePage: true });
  return { text: whole.text, isCut: whole.isCut || page.isCut };
}

/** For a walk that has nothing to find in the body, which is large. */
function isHead(element: HtmlElement): boolean {
  return element.tagName !== "body";
}

function isTitle(element: HtmlElement): boolean {
  // An image of SVG has a title of its own.
  return element.tagName === "title" && element.namespaceURI === "http://www.w3.org/1999/xhtml";
}

function lineOfTitle(title: HtmlElement): string {
  const inside = title.childNodes[0];
  return inside ? lineOf(inside, 300) : "";
}

function hasHref(element: HtmlElement): boolean {
  return attribute(element, "href") !== undefined;
}

function metaOf(document: HtmlNode, wanted: string): string | undefined {
  for (const node of walkTree(document, isHead)) {
    if (!isElement(node) || node.tagName !== "meta") continue;
    const name = attribute(node, "name") ?? attribute(node, "property");
    const content = attribute(node, "content")?.slice(0, 2_000).replace(/\s+/g, " ").trim();
    if (name?.toLowerCase() === wanted && content) return content.slice(0, 500);
  }
  return undefined;
}

/** `<meta http-equiv="refresh" content="0; url=…">` */
function refreshOf(document: HtmlNode, base: string): string | undefined {
  const meta = findElement(
    document,
    (element) => element.tagName === "meta" && attribute(element, "http-equiv")?.toLowerCase() === "refresh",
    isHead,
  );
  const content = meta && attribute(meta, "content")?.slice(0, 4_200);
  const to = content && /^\s*[\d.]{1,10}\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"\s]+)/i.exec(content)?.[1];
  return to ? resolveWebAddress(to, base)?.href : undefined;
}
