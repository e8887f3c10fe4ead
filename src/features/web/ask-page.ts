import { failed } from "../../contract/define-native-tool.ts";
import type { JsonSchema, ToolContext, ToolResult } from "../../contract/tool.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { type MediaKind, mediaKindOf } from "./media-kind.ts";
import { hostsOfAddress, MAX_ADDRESS, parseWebAddress } from "./web-address.ts";
import type { WebAnswer, WebClient } from "./web-client.ts";
import { WEB_TOOL_TIMEOUT_MS } from "./web-deps.ts";
import { pageMarkdown, readWebPage } from "./web-page.ts";

export const ADDRESS_PROPERTY: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: MAX_ADDRESS,
  description: "The address, such as https://example.com/page.",
};

/** What the tools that read one page, named by `url`, have in common. */
export const READS_A_PAGE = {
  required: ["url"],
  flags: { readOnly: true, concurrencySafe: true },
  openWorld: true,
  hostsOf: hostsOfAddress,
  scope: "web",
  timeoutMs: WEB_TOOL_TIMEOUT_MS,
} as const;

export interface AskedPage {
  readonly answer: WebAnswer;
  readonly kind: MediaKind;
}

const ACCEPT =
  "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,application/json;q=0.8,*/*;q=0.5";
/** Of a page that says what is wrong. */
const MAX_COMPLAINT = 2_000;

/** Fetches what a model named. The error is what the tool answers, also where the site says no. */
export async function askPage(
  client: WebClient,
  written: string,
  { signal }: Pick<ToolContext, "signal">,
): Promise<Result<AskedPage, ToolResult>> {
  const url = parseWebAddress(written);
  if (!url.ok) return err(failed(url.error));
  const asked = await client.ask(
    { url: url.value, headers: { accept: ACCEPT, "accept-language": "en, *;q=0.5" } },
    signal,
  );
  if (!asked.ok) return asked;
  const page = { answer: asked.value, kind: mediaKindOf(asked.value.contentType, asked.value.bytes) };
  return asked.value.status < 400 ? ok(page) : err(await complaint(page, signal));
}

async function complaint({ answer, kind }: AskedPage, signal: AbortSignal): Promise<ToolResult> {
  const { url, status, statusText } = answer;
  const said = `${new URL(url).host} answered ${`${status} ${statusText}`.trim()}.`;
  const more = await complaintText({ answer, kind }, signal);
  return failed(
    more === "" ? `${said} ${hintFor(status)}` : `${said} ${hintFor(status)} It says:\n\n${more}`,
  );
}

async function complaintText({ answer, kind }: AskedPage, signal: AbortSignal): Promise<string> {
  if (kind === "binary" || kind === "image" || kind === "pdf") return "";
  const text = decodeText(answer.bytes, answer.contentType);
  if (kind !== "html") return text.slice(0, MAX_COMPLAINT).trim();
  const page = await readWebPage(text.slice(0, 200_000), answer.url, signal);
  return (await pageMarkdown(page, { wholePage: false, maxChars: MAX_COMPLAINT })).text;
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return "The page is not for everybody, or not for programs.";
  if (status === 404 || status === 410)
    return "There is no such page: check the address, or search for another.";
  if (status === 429) return "It was asked too often: wait before trying again.";
  return status >= 500 ? "Try again later." : "Check the address.";
}
