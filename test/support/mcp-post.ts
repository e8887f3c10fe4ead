/** MCP requests as a client puts them on the wire, without a client. */

export const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";
export const TASKS = "io.modelcontextprotocol/tasks";
const NAMED_BY = ["name", "uri", "taskId"] as const;

export type Params = Record<string, unknown>;

export interface Message extends Record<string, unknown> {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly method: string;
  params: Params;
}

/** A request of 2026-07-28 from a client that can be asked everything and follows tasks. */
export function modernMessage(method: string, params: Params = {}, id: string | number = 1): Message {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: {},
      sampling: {},
      extensions: { [TASKS]: {} },
    },
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
}

/** The headers that have to agree with such a request. */
export function modernHeaders({ method, params }: Params): Record<string, string> {
  const given = typeof params === "object" && params !== null ? (params as Params) : {};
  const name = NAMED_BY.map((key) => given[key]).find((value) => typeof value === "string");
  return {
    "mcp-protocol-version": MODERN,
    "mcp-method": headerText(typeof method === "string" ? method : "tools/call"),
    ...(typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

export function bearer(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
}

/** What a header cannot hold goes as base64. */
function headerText(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
