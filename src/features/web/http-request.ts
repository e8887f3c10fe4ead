import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { readableSize } from "../../lib/text/size.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { ADDRESS_PROPERTY } from "./ask-page.ts";
import { mediaKindOf } from "./media-kind.ts";
import { hostsOfAddress, parseWebAddress } from "./web-address.ts";
import type { WebAnswer, WebRequest } from "./web-client.ts";
import { WEB_TOOL_TIMEOUT_MS, type WebDeps } from "./web-deps.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

interface Args {
  readonly url: string;
  readonly method?: (typeof METHODS)[number];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly json?: unknown;
  readonly follow_redirects?: boolean;
  readonly timeout_ms?: number;
}

const MAX_BODY = 1_000_000;
const MAX_HEADERS = 50;
const MAX_SHOWN_HEADERS = 100;
const MAX_SHOWN_VALUE = 1_000;

export function httpRequestTool({ client }: WebDeps): Tool {
  return defineGranted<Args>({
    name: "http_request",
    title: "Send an HTTP request",
    domain: "web",
    description:
      "Send a request to an HTTP API and get its status, headers and body as they are, whatever the status. For pages to read use browse_url. " +
      "When the answer redirects to another origin, headers such as Authorization stay behind, and a body is not sent again. " +
      "For a secret of the vault write {{secret:NAME}} where its value belongs, such as in a header; you never see it.",
    properties: {
      url: ADDRESS_PROPERTY,
      method: { enum: [...METHODS], description: "Default GET, or POST where there is a body." },
      headers: {
        type: "object",
        maxProperties: MAX_HEADERS,
        additionalProperties: { type: "string", maxLength: 8_000 },
        description: "Headers of the request, by name.",
      },
      body: { type: "string", maxLength: MAX_BODY, description: "The body as text." },
      json: { description: "The body as a JSON value, in the place of body; sets Content-Type." },
      follow_redirects: {
        type: "boolean",
        description: "False: a redirect is the answer. Default true, five at most.",
      },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: WEB_TOOL_TIMEOUT_MS,
        description: "Give up after this many milliseconds, where that is less than the host's own limit.",
      },
    },
    required: ["url"],
    flags: { destructive: true },
    openWorld: true,
    hostsOf: hostsOfAddress,
    scope: "web",
    timeoutMs: WEB_TOOL_TIMEOUT_MS,
    shownArguments: withoutSecretHeaders,
    async run(args, { signal }) {
      const request = requestOf(args);
      if (!request.ok) return failed(request.error);
      const asked = await client.ask(request.value, signal);
      return asked.ok ? describe(asked.value) : asked.error;
    },
  });
}

function requestOf(args: Args): Result<WebRequest, string> {
  const url = parseWebAddress(args.url);
  if (!url.ok) return url;
  if (args.body !== undefined && args.json !== undefined)
    return err("The request has both body and json. Give one of them.");
  const body = args.json === undefined ? args.body : JSON.stringify(args.json);
  if (body !== undefined && body.length > MAX_BODY)
    return err(`The body has ${body.length} characters; at most ${MAX_BODY} are sent.`);
  const method = args.method ?? (body === undefined ? "GET" : "POST");
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    return err(`A ${method} request has no body. Use another method, or put it into the address.`);
  const headers = headersOf(args);
  if (!headers.ok) return headers;
  return ok({
    url: url.value,
    method,
    headers: headers.value,
    ...(body !== undefined && { body }),
    redirect: args.follow_redirects === false ? "manual" : "follow",
    ...(args.timeout_ms !== undefined && { timeoutMs: args.timeout_ms }),
  });
}

/** What the connection itself needs, or what would send the request somewhere else than was checked. */
const NOT_THEIRS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

function headersOf({ headers = {}, json }: Args): Result<Record<string, string>, string> {
  const checked = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (NOT_THEIRS.test(name)) return err(`The header ${name} is set by the host. Leave it out.`);
    try {
      checked.append(name, value);
    } catch {
      return err(
        `${JSON.stringify(name.slice(0, 100))} is not a header that can be sent. Correct its name or value.`,
      );
    }
  }
  if (json !== undefined && !checked.has("content-type")) checked.set("content-type", "application/json");
  return ok(Object.fromEntries(checked));
}

function describe(answer: WebAnswer): ToolResult {
  const { url, status, statusText, isCut } = answer;
  const headers = [...answer.headers]
    .slice(0, MAX_SHOWN_HEADERS)
    .map(([name, value]) => [name, value.slice(0, MAX_SHOWN_VALUE)] as const);
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const message = [`${status} ${statusText}`.trim(), `from ${url}`, ...lines, "", bodyText(answer)].join(
    "\n",
  );
  return output(message, { url, status, headers: Object.fromEntries(headers), cut: isCut });
}

function bodyText({ bytes, contentType, isCut }: WebAnswer): string {
  if (bytes.length === 0) return "(no body)";
  const kind = mediaKindOf(contentType, bytes);
  const size = `${isCut ? "more than " : ""}${readableSize(bytes.length)}`;
  if (kind === "image" || kind === "pdf" || kind === "binary") return `(${size} that are no text)`;
  const note = isCut ? `\n\n(The body goes on; only ${size.replace("more than ", "")} are read.)` : "";
  return decodeText(bytes, contentType) + note;
}

/** Nothing but the name of a secret, and how it is used. */
const ONLY_NAMED = /^(?:(?:bearer|basic|token) )?\{\{secret:[A-Z0-9_]+\}\}$/i;
const SECRET_HEADER = /authorization|cookie|token|secret|key|passw|auth|signature/i;

/** What people and the audit see: that such a header was sent, and not what it said. */
function withoutSecretHeaders(args: unknown): unknown {
  if (!isRecord(args) || !isRecord(args.headers)) return args;
  const shown = Object.entries(args.headers).map(([name, value]) => [
    name,
    SECRET_HEADER.test(name) && !ONLY_NAMED.test(String(value)) ? "***" : value,
  ]);
  return { ...args, headers: Object.fromEntries(shown) };
}
