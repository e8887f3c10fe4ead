import { failed } from "../../contract/define-native-tool.ts";
import type { JsonSchema, ToolContext, ToolResult } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { detectMediaKind, type MediaKind } from "./media-kind.ts";
import { listHosts, MAX_ADDRESS, parseWebAddress } from "./web-address.ts";
import type { WebClient, WebResponse } from "./web-client.ts";
import { WEB_TOOL_TIMEOUT_MS } from "./web-deps.ts";
import { readWebPage, renderPage } from "./web-page.ts";

export const ADDRESS_PROPERTY: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: MAX_ADDRESS,
  description: "The address, such as https://example.com/page.",
};

/** Common traits of the tools that read one page, given by `url`. */
export const PAGE_TOOL_TRAITS = {
  required: ["url"],
  flags: { readOnly: true, concurrencySafe: true },
  openWorld: true,
  hostsOf: listHosts,
  scope: "web",
  timeoutMs: WEB_TOOL_TIMEOUT_MS,
} as const;

export interface FetchedPage {
  readonly answer: WebResponse;
  readonly kind: MediaKind;
}

const ACCEPT =
  "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,application/json;q=0.8,*/*;q=0.5";
/** Length limit for the text of an error page. */
const MAX_COMPLAINT = 2_000;

/** Fetches a page. The error is the tool's result, also if the site refuses. */
export async function fetchPage(
  client: WebClient,
  address: string,
  { signal }: Pick<ToolContext, "signal">,
): Promise<Result<FetchedPage, ToolResult>> {
  const url = parseWebAddress(address);
  if (!url.ok) return err(failed(url.error));
  const response = await client.send(
    { url: url.value, headers: { accept: ACCEPT, "accept-language": "en, *;q=0.5" } },
    signal,
  );
  if (!response.ok) return response;
  const page = {
    answer: response.value,
    kind: detectMediaKind(response.value.contentType, response.value.bytes),
  };
  return response.value.status < 400 ? ok(page) : err(await describeRefusal(page, signal));
}

async function describeRefusal({ answer, kind }: FetchedPage, signal: AbortSignal): Promise<ToolResult> {
  const { url, status, statusText } = answer;
  const summary = `${new URL(url).host} answered ${`${status} ${statusText}`.trim()}.`;
  const more = await readRefusalText({ answer, kind }, signal);
  return failed(
    more === ""
      ? `${summary} ${suggestRemedy(status)}`
      : `${summary} ${suggestRemedy(status)} It says:\n\n${more}`,
  );
}

async function readRefusalText({ answer, kind }: FetchedPage, signal: AbortSignal): Promise<string> {
  if (kind === "binary" || kind === "image" || kind === "pdf") return "";
  const text = decodeText(answer.bytes, answer.contentType);
  if (kind !== "html") return text.slice(0, MAX_COMPLAINT).trim();
  const page = await readWebPage(text.slice(0, 200_000), answer.url, signal);
  return (await renderPage(page, { wholePage: false, maxChars: MAX_COMPLAINT })).text;
}

function suggestRemedy(status: number): string {
  if (status === 401 || status === 403) return "The page is not public, or blocks programs.";
  if (status === 404 || status === 410)
    return "The page does not exist. Check the address, or search for another.";
  if (status === 429) return "Too many requests. Wait before trying again.";
  return status >= 500 ? "Try again later." : "Check the address.";
}
