import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolResult } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { formatSize } from "../../lib/text/size.ts";
import { decodeText } from "../../machine/text/html/decode-text.ts";
import { ADDRESS_PROPERTY } from "./fetch-page.ts";
import { detectMediaKind } from "./media-kind.ts";
import { listHosts, parseWebAddress } from "./web-address.ts";
import type { WebRequest, WebResponse } from "./web-client.ts";
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
    hostsOf: listHosts,
    scope: "web",
    timeoutMs: WEB_TOOL_TIMEOUT_MS,
    shownArguments: maskSecretHeaders,
    async run(args, { signal }) {
      const request = buildRequest(args);
      if (!request.ok) return failed(request.error);
      const response = await client.send(request.value, signal);
      return response.ok ? describeResponse(response.value) : response.error;
    },
  });
}

function buildRequest(args: Args): Result<WebRequest, string> {
  const url = parseWebAddress(args.url);
  if (!url.ok) return url;
  if (args.body !== undefined && args.json !== undefined)
    return err("The request has both body and json. Give only one.");
  const body = args.json === undefined ? args.body : JSON.stringify(args.json);
  if (body !== undefined && body.length > MAX_BODY)
    return err(`The body has ${body.length} characters; at most ${MAX_BODY} are sent.`);
  const method = args.method ?? (body === undefined ? "GET" : "POST");
  if (body !== undefined && (method === "GET" || method === "HEAD"))
    return err(`A ${method} request has no body. Use another method, or put it into the address.`);
  const headers = buildHeaders(args);
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

/** Headers that the connection sets itself, or that would send the request to a host that was not checked. */
const RESERVED_HEADERS =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

function buildHeaders({ headers = {}, json }: Args): Result<Record<string, string>, string> {
  const checked = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED_HEADERS.test(name)) return err(`The header ${name} is set by the host. Leave it out.`);
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

function describeResponse(answer: WebResponse): ToolResult {
  const { url, status, statusText, isCut } = answer;
  const headers = [...answer.headers]
    .slice(0, MAX_SHOWN_HEADERS)
    .map(([name, value]) => [name, value.slice(0, MAX_SHOWN_VALUE)] as const);
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const message = [`${status} ${statusText}`.trim(), `from ${url}`, ...lines, "", formatBody(answer)].join(
    "\n",
  );
  return output(message, { url, status, headers: Object.fromEntries(headers), cut: isCut });
}

function formatBody({ bytes, contentType, isCut }: WebResponse): string {
  if (bytes.length === 0) return "(no body)";
  const kind = detectMediaKind(contentType, bytes);
  const size = `${isCut ? "more than " : ""}${formatSize(bytes.length)}`;
  if (kind === "image" || kind === "pdf" || kind === "binary") return `(${size}, not text)`;
  const note = isCut ? `\n\n(Cut: only the first ${size.replace("more than ", "")} were read.)` : "";
  return decodeText(bytes, contentType) + note;
}

/** Matches a value that only refers to a secret by name. */
const SECRET_REFERENCE = /^(?:(?:bearer|basic|token) )?\{\{secret:[A-Z0-9_]+\}\}$/i;
const SECRET_HEADER = /authorization|cookie|token|secret|key|passw|auth|signature/i;

/** The arguments for people and the audit: secret headers are named, but their values are masked. */
function maskSecretHeaders(args: unknown): unknown {
  if (!isRecord(args) || !isRecord(args.headers)) return args;
  const shown = Object.entries(args.headers).map(([name, value]) => [
    name,
    SECRET_HEADER.test(name) && !SECRET_REFERENCE.test(String(value)) ? "***" : value,
  ]);
  return { ...args, headers: Object.fromEntries(shown) };
}
