import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../../lib/json.ts";
import { formatParameter, getValueAt, type MarkedParameter } from "../../servers/transport/param-headers.ts";
import {
  type HttpAnswer,
  idOf,
  META,
  MODERN_VERSION,
  messageOf,
  metaOf,
  NAMED_BY,
  type Params,
  RPC,
  type RpcNotification,
  type RpcRequest,
  rpcError,
} from "./messages.ts";

/** Versions are dates; this one began the era without sessions. */
const FIRST_MODERN = "2026-07-28";
const VERSION_FORM = /^\d{4}-\d{2}-\d{2}$/;

export type Classified =
  | { readonly era: "legacy" }
  | { readonly era: "modern"; readonly message: RpcRequest | RpcNotification }
  | { readonly era: "neither"; readonly answer: HttpAnswer };

const LEGACY: Classified = { era: "legacy" };

/**
 * Which era a POST belongs to. The body decides and the headers must agree with it; a request that claims the
 * modern era and gets it wrong is refused, never served as an older one.
 */
export function classify(headers: IncomingHttpHeaders, body: unknown): Classified {
  if (Array.isArray(body)) {
    return body.some(isModernClaim)
      ? refuse(body, RPC.invalidRequest, "a batch may hold no request of 2026-07-28")
      : LEGACY;
  }
  const message = messageOf(body);
  if (!message || message.kind === "response") return LEGACY;
  const version = trimmed(headers["mcp-protocol-version"]);
  const claimed = metaOf(message.params)[META.protocolVersion];
  if (claimed === undefined) {
    if (version === undefined || !isModern(version)) return LEGACY;
    if (message.kind === "notification") return { era: "modern", message };
    if (message.method === "initialize") {
      return mismatch(
        body,
        "initialize begins a session, which the MCP-Protocol-Version header does not have",
      );
    }
    return refuse(
      body,
      RPC.invalidParams,
      `Invalid params: _meta must have ${META.protocolVersion} and ${META.clientCapabilities}`,
    );
  }
  // A handshake that only happens to carry the key is one still.
  const problem = envelopeProblem(metaOf(message.params));
  if (message.method === "initialize" && (problem !== undefined || !isModern(claimed))) return LEGACY;
  if (problem !== undefined) return refuse(body, RPC.invalidParams, `Invalid params: ${problem}`);
  const disagreement = headerProblem(headers, version, claimed, message);
  if (disagreement !== undefined) return mismatch(body, disagreement);
  if (claimed !== MODERN_VERSION) {
    return refuse(body, RPC.unsupportedVersion, `Unsupported protocol version: ${claimed}`, {
      supported: [MODERN_VERSION],
      requested: claimed,
    });
  }
  const missing = missingHeader(headers, version, message);
  return missing === undefined ? { era: "modern", message } : mismatch(body, missing);
}

/** What is wrong with the headers that repeat a call's marked parameters. */
export function paramHeaderProblem(
  marked: readonly MarkedParameter[],
  args: unknown,
  headers: IncomingHttpHeaders,
  mayBeMissing: boolean,
): string | undefined {
  for (const { path, header } of marked) {
    const name = `mcp-param-${header.toLowerCase()}`;
    const raw = getValueAt(args, path);
    const expected = formatParameter(raw);
    if (expected === undefined) continue;
    const sent = headers[name];
    if (sent === undefined && mayBeMissing) continue;
    if (sent === undefined) return `the body has ${path.join(".")}, and the header ${name} is missing`;
    const value = decoded(String(sent));
    const agrees = typeof raw === "number" ? Number(value) === raw && value !== "" : value === expected;
    if (!agrees) return `the header ${name} does not agree with ${path.join(".")} of the body`;
  }
  return undefined;
}

/** A request whose headers and body say different things. */
export function mismatchAnswer(body: unknown, message: string): HttpAnswer {
  return rpcError(400, RPC.headerMismatch, `the headers and the body disagree: ${message}`, {
    id: idOf(body),
  });
}

function envelopeProblem(meta: Params): string | undefined {
  if (typeof meta[META.protocolVersion] !== "string") return `${META.protocolVersion} must be a text`;
  return isRecord(meta[META.clientCapabilities])
    ? undefined
    : `_meta must have ${META.clientCapabilities}, an object`;
}

function headerProblem(
  headers: IncomingHttpHeaders,
  version: string | undefined,
  claimed: unknown,
  { method }: RpcRequest | RpcNotification,
): string | undefined {
  if (version !== undefined && version !== claimed)
    return `the body names version ${String(claimed)}, MCP-Protocol-Version ${version}`;
  const named = trimmed(headers["mcp-method"]);
  return named !== undefined && named !== method
    ? `the body names ${method}, Mcp-Method ${named}`
    : undefined;
}

function missingHeader(
  headers: IncomingHttpHeaders,
  version: string | undefined,
  message: RpcRequest | RpcNotification,
): string | undefined {
  if (message.kind === "notification") return undefined;
  if (version === undefined) return "the MCP-Protocol-Version header is missing";
  if (headers["mcp-method"] === undefined) return "the Mcp-Method header is missing";
  const field = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const inBody = field === undefined ? undefined : message.params[field];
  if (typeof inBody !== "string") return undefined;
  const sent = trimmed(headers["mcp-name"]);
  if (sent === undefined) return "the Mcp-Name header is missing";
  return decoded(sent) === inBody ? undefined : `Mcp-Name does not agree with params.${field}`;
}

/** A header value as it was before it was made fit for a header; undefined where that cannot be undone. */
function decoded(value: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isModernClaim(body: unknown): boolean {
  return isRecord(body) && isRecord(body.params) && META.protocolVersion in metaOf(body.params);
}

function isModern(version: unknown): boolean {
  return typeof version === "string" && VERSION_FORM.test(version) && version >= FIRST_MODERN;
}

function trimmed(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value.trim() : undefined;
}

function mismatch(body: unknown, message: string): Classified {
  return { era: "neither", answer: mismatchAnswer(body, message) };
}

function refuse(
  body: unknown,
  code: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
): Classified {
  return { era: "neither", answer: rpcError(400, code, message, { id: idOf(body), ...(data && { data }) }) };
}
