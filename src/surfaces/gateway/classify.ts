import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../../lib/json.ts";
import { formatParameter, getValueAt, type MarkedParameter } from "../../servers/transport/param-headers.ts";
import {
  type HttpAnswer,
  META,
  MODERN_VERSION,
  NAME_FIELDS,
  type Params,
  parseMessage,
  RPC,
  type RpcNotification,
  type RpcRequest,
  readId,
  readMeta,
  rpcError,
} from "./messages.ts";

/** Versions are dates; this one began the era without sessions. */
const FIRST_MODERN = "2026-07-28";
const VERSION_FORM = /^\d{4}-\d{2}-\d{2}$/;

export type Classification =
  | { readonly era: "legacy" }
  | { readonly era: "modern"; readonly message: RpcRequest | RpcNotification }
  | { readonly era: "neither"; readonly answer: HttpAnswer };

const LEGACY: Classification = { era: "legacy" };

/**
 * Decides which era a POST belongs to. The body decides and the headers must agree; a faulty request that claims the
 * modern era is refused, never served as a legacy one.
 */
export function classify(headers: IncomingHttpHeaders, body: unknown): Classification {
  if (Array.isArray(body)) {
    return body.some(isModernClaim)
      ? refuse(body, RPC.invalidRequest, "a batch may hold no request of 2026-07-28")
      : LEGACY;
  }
  const message = parseMessage(body);
  if (!message || message.kind === "response") return LEGACY;
  const version = trimHeader(headers["mcp-protocol-version"]);
  const claimedVersion = readMeta(message.params)[META.protocolVersion];
  if (claimedVersion === undefined) {
    if (version === undefined || !isModern(version)) return LEGACY;
    if (message.kind === "notification") return { era: "modern", message };
    if (message.method === "initialize") {
      return refuseMismatch(
        body,
        "initialize begins a session, but the version in the MCP-Protocol-Version header has none",
      );
    }
    return refuse(
      body,
      RPC.invalidParams,
      `Invalid params: _meta must have ${META.protocolVersion} and ${META.clientCapabilities}`,
    );
  }
  // An `initialize` that only happens to carry the key is still a legacy handshake.
  const problem = findEnvelopeProblem(readMeta(message.params));
  if (message.method === "initialize" && (problem !== undefined || !isModern(claimedVersion))) return LEGACY;
  if (problem !== undefined) return refuse(body, RPC.invalidParams, `Invalid params: ${problem}`);
  const disagreement = findHeaderProblem(headers, version, claimedVersion, message);
  if (disagreement !== undefined) return refuseMismatch(body, disagreement);
  if (claimedVersion !== MODERN_VERSION) {
    return refuse(body, RPC.unsupportedVersion, `Unsupported protocol version: ${claimedVersion}`, {
      supported: [MODERN_VERSION],
      requested: claimedVersion,
    });
  }
  const missing = findMissingHeader(headers, version, message);
  return missing === undefined ? { era: "modern", message } : refuseMismatch(body, missing);
}

/** Describes how the headers that repeat a call's marked parameters differ from the body. */
export function findParamHeaderProblem(
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
    const value = decodeHeader(String(sent));
    const isEqual = typeof raw === "number" ? Number(value) === raw && value !== "" : value === expected;
    if (!isEqual) return `the header ${name} does not agree with ${path.join(".")} of the body`;
  }
  return undefined;
}

/** The answer to a request whose headers and body disagree. */
export function toMismatchAnswer(body: unknown, message: string): HttpAnswer {
  return rpcError(400, RPC.headerMismatch, `the headers and the body disagree: ${message}`, {
    id: readId(body),
  });
}

function findEnvelopeProblem(meta: Params): string | undefined {
  if (typeof meta[META.protocolVersion] !== "string") return `${META.protocolVersion} must be a string`;
  return isRecord(meta[META.clientCapabilities])
    ? undefined
    : `_meta must have ${META.clientCapabilities}, an object`;
}

function findHeaderProblem(
  headers: IncomingHttpHeaders,
  version: string | undefined,
  claimedVersion: unknown,
  { method }: RpcRequest | RpcNotification,
): string | undefined {
  if (version !== undefined && version !== claimedVersion)
    return `the body names version ${String(claimedVersion)}, MCP-Protocol-Version ${version}`;
  const named = trimHeader(headers["mcp-method"]);
  return named !== undefined && named !== method
    ? `the body names ${method}, Mcp-Method ${named}`
    : undefined;
}

function findMissingHeader(
  headers: IncomingHttpHeaders,
  version: string | undefined,
  message: RpcRequest | RpcNotification,
): string | undefined {
  if (message.kind === "notification") return undefined;
  if (version === undefined) return "the MCP-Protocol-Version header is missing";
  if (headers["mcp-method"] === undefined) return "the Mcp-Method header is missing";
  const field = Object.hasOwn(NAME_FIELDS, message.method) ? NAME_FIELDS[message.method] : undefined;
  const inBody = field === undefined ? undefined : message.params[field];
  if (typeof inBody !== "string") return undefined;
  const sent = trimHeader(headers["mcp-name"]);
  if (sent === undefined) return "the Mcp-Name header is missing";
  return decodeHeader(sent) === inBody ? undefined : `Mcp-Name does not agree with params.${field}`;
}

/** Undoes the encoding of a header value; undefined if it is malformed. */
function decodeHeader(value: string): string | undefined {
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
  return isRecord(body) && isRecord(body.params) && META.protocolVersion in readMeta(body.params);
}

function isModern(version: unknown): boolean {
  return typeof version === "string" && VERSION_FORM.test(version) && version >= FIRST_MODERN;
}

function trimHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value.trim() : undefined;
}

function refuseMismatch(body: unknown, message: string): Classification {
  return { era: "neither", answer: toMismatchAnswer(body, message) };
}

function refuse(
  body: unknown,
  code: number,
  message: string,
  data?: Readonly<Record<string, unknown>>,
): Classification {
  return {
    era: "neither",
    answer: rpcError(400, code, message, { id: readId(body), ...(data && { data }) }),
  };
}
