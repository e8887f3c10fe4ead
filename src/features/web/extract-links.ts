import { defineGranted, failed } from "../../contract/define-native-tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { ADDRESS_PROPERTY, type AskedPage, askPage, READS_A_PAGE } from "./ask-page.ts";
import { linksOfPage, linksOfText, type PageLink } from "./page-links.ts";
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
    ...READS_A_PAGE,
    async run(args, context) {
      const asked = await askPage(client, args.url, context);
      return asked.ok ? list(asked.value, args, context) : asked.error;
    },
  });
}

async function list(page: AskedPage, args: Args, context: ToolContext): Promise<ToolResult> {
  const { answer } = page;
  const all = await linksOf(page, context.signal);
  if (all === undefined)
    return failed(
      `${answer.url} is no text (${answer.contentType || "of no known type"}), so it has no links.`,
    );
  const links = all.filter(fits(args, new URL(answer.url).host));
  const { limit, offset } = pageRequest(args);
  const shown = { items: links.slice(offset, offset + limit), total: links.length };
  const none =
    all.length === 0 ? "The page has no links." : `None of the ${all.length} links of the page fits.`;
  return outputPage(shown, offset, { line: lineOfLink, none }, { url: answer.url, links: shown.items });
}

async function linksOf({ answer, kind }: AskedPage, signal: AbortSignal): Promise<PageLink[] | undefined> {
  if (kind === "pdf" || kind === "image" || kind === "binary") return undefined;
  const text = decodeText(answer.bytes, answer.contentType);
  if (kind !== "html") return linksOfText(text, answer.url);
  return linksOfPage(await readWebPage(text, answer.url, signal), answer.url);
}

function fits({ filter = "", to = "anywhere" }: Args, host: string): (link: PageLink) => boolean {
  const wanted = filter.toLowerCase();
  return ({ url, text }) => {
    if (to !== "anywhere" && (new URL(url).host === host) !== (to === "same_site")) return false;
    return url.toLowerCase().includes(wanted) || text.toLowerCase().includes(wanted);
  };
}

function lineOfLink({ url, text }: PageLink): string {
  return text === "" ? `- ${url}` : `- ${text}: ${url}`;
}
