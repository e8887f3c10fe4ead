import { defineGranted, failed } from "../../contract/define-native-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { ADDRESS_PROPERTY, type FetchedPage, fetchPage, PAGE_TOOL_TRAITS } from "./fetch-page.ts";
import { findPageLinks, findTextLinks, type PageLink } from "./page-links.ts";
import type { WebDeps } from "./web-deps.ts";
import { readWebPage } from "./web-page.ts";

interface Args extends PageArgs {
  readonly url: string;
  readonly filter?: string;
  readonly to?: "anywhere" | "same_site" | "other_sites";
}

export function extractLinksTool({ client }: WebDeps): Tool {
  return defineGranted<Args>({
    name: "extract_links",
    title: "List the links of a web page",
    domain: "web",
    description:
      "List where a page of the web leads: absolute addresses, each once, with the words of the link, in the order of the page. Also the addresses in a plain text.",
    properties: {
      url: ADDRESS_PROPERTY,
      filter: {
        type: "string",
        maxLength: 200,
        description: "Only links that have this in their address or words, in upper or lower case.",
      },
      to: {
        enum: ["anywhere", "same_site", "other_sites"],
        description: "Only links to the same host, or only to others. Default: anywhere.",
      },
      ...PAGE_PROPERTIES,
    },
    ...PAGE_TOOL_TRAITS,
    async run(args, context) {
      const fetched = await fetchPage(client, args.url, context);
      return fetched.ok ? listLinks(fetched.value, args, context) : fetched.error;
    },
  });
}

async function listLinks(page: FetchedPage, args: Args, context: ToolContext): Promise<ToolResult> {
  const { answer } = page;
  const all = await extractLinks(page, context.signal);
  if (all === undefined)
    return failed(`${answer.url} is not text (${answer.contentType || "unknown type"}), so it has no links.`);
  const links = all.filter(createFilter(args, new URL(answer.url).host));
  const { limit, offset } = pageRequest(args);
  const shown = { items: links.slice(offset, offset + limit), total: links.length };
  const emptyText =
    all.length === 0 ? "The page has no links." : `None of the page's ${all.length} links matches.`;
  return outputPage(
    shown,
    offset,
    { line: formatLink, none: emptyText },
    { url: answer.url, links: shown.items },
  );
}

async function extractLinks(
  { answer, kind }: FetchedPage,
  signal: AbortSignal,
): Promise<PageLink[] | undefined> {
  if (kind === "pdf" || kind === "image" || kind === "binary") return undefined;
  const text = decodeText(answer.bytes, answer.contentType);
  if (kind !== "html") return findTextLinks(text, answer.url);
  return findPageLinks(await readWebPage(text, answer.url, signal), answer.url);
}

function createFilter({ filter = "", to = "anywhere" }: Args, host: string): (link: PageLink) => boolean {
  const filterText = filter.toLowerCase();
  return ({ url, text }) => {
    if (to !== "anywhere" && (new URL(url).host === host) !== (to === "same_site")) return false;
    return url.toLowerCase().includes(filterText) || text.toLowerCase().includes(filterText);
  };
}

function formatLink({ url, text }: PageLink): string {
  return text === "" ? `- ${url}` : `- ${text}: ${url}`;
}
