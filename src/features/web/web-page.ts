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

/** A parsed HTML page. */
export interface WebPage {
  readonly title: string;
  /** The page's own description. */
  readonly description: string;
  /** The target of an automatic redirect. */
  readonly refreshUrl: string | undefined;
  /** The base of relative links. */
  readonly base: string;
  readonly body: HtmlElement | undefined;
  /** Whether the page was longer than the limit. */
  readonly isCut: boolean;
}

export async function readWebPage(html: string, address: string, signal: AbortSignal): Promise<WebPage> {
  const { document, isCut } = await parseHtml(html, signal);
  const base = findElement(document, (element) => element.tagName === "base" && hasHref(element), isHead);
  const baseUrl = base && resolveWebAddress(attribute(base, "href")!, address)?.href;
  const title = findElement(document, isTitle, isHead);
  return {
    title: title ? readTitle(title) : "",
    description: readMeta(document, "description") ?? readMeta(document, "og:description") ?? "",
    refreshUrl: readRefresh(document, baseUrl ?? address),
    base: baseUrl ?? address,
    body: findElement(document, (element) => element.tagName === "body", isHead),
    isCut,
  };
}

/** If the main part has less text, the whole page is shown. */
const MIN_MAIN_CHARS = 200;

/** Renders the main part or the whole page as Markdown. Yields between steps, because each is slow for a large page. */
export async function renderPage(
  page: WebPage,
  { wholePage, maxChars }: { readonly wholePage: boolean; readonly maxChars: number },
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  if (!page.body) return { text: "", isCut: page.isCut };
  const options = { base: page.base, maxChars };
  if (!wholePage) {
    const part = mainContentOf(page.body);
    await nextTask();
    const main = htmlToMarkdown(part, { ...options, wholePage: false });
    if (main.text.length >= MIN_MAIN_CHARS) return { text: main.text, isCut: main.isCut || page.isCut };
  }
  await nextTask();
  const whole = htmlToMarkdown(page.body, { ...options, wholePage: true });
  return { text: whole.text, isCut: whole.isCut || page.isCut };
}

/** Keeps a walk out of the large body, where it has nothing to find. */
function isHead(element: HtmlElement): boolean {
  return element.tagName !== "body";
}

function isTitle(element: HtmlElement): boolean {
  // SVG images have titles too.
  return element.tagName === "title" && element.namespaceURI === "http://www.w3.org/1999/xhtml";
}

function readTitle(title: HtmlElement): string {
  const inside = title.childNodes[0];
  return inside ? lineOf(inside, 300) : "";
}

function hasHref(element: HtmlElement): boolean {
  return attribute(element, "href") !== undefined;
}

function readMeta(document: HtmlNode, wanted: string): string | undefined {
  for (const node of walkTree(document, isHead)) {
    if (!isElement(node) || node.tagName !== "meta") continue;
    const name = attribute(node, "name") ?? attribute(node, "property");
    const content = attribute(node, "content")?.slice(0, 2_000).replace(/\s+/g, " ").trim();
    if (name?.toLowerCase() === wanted && content) return content.slice(0, 500);
  }
  return undefined;
}

/** `<meta http-equiv="refresh" content="0; url=…">` */
function readRefresh(document: HtmlNode, base: string): string | undefined {
  const meta = findElement(
    document,
    (element) => element.tagName === "meta" && attribute(element, "http-equiv")?.toLowerCase() === "refresh",
    isHead,
  );
  const content = meta && attribute(meta, "content")?.slice(0, 4_200);
  const to = content && /^\s*[\d.]{1,10}\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"\s]+)/i.exec(content)?.[1];
  return to ? resolveWebAddress(to, base)?.href : undefined;
}
