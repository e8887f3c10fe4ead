import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text as bodyOf } from "node:stream/consumers";

/** One message of ours and the raw answer to it. */
export interface Exchange {
  readonly id: number;
  readonly params: Readonly<Record<string, unknown>> & { readonly arguments: Record<string, unknown> };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** By method (or `GET`, or `response` for an answer of ours); what it returns is the result, undefined means that it answered itself or never will. */
export type Handlers = Readonly<Record<string, (exchange: Exchange) => unknown>>;

export interface LegacyHttp extends RequestListener {
  /** As after a restart: every session is unknown from now on. */
  forgetSessions(): void;
}

/** A bare MCP server of 2025-06-18 over streamable HTTP, with sessions; no SDK in between. */
export function legacyHttp(
  tools: readonly unknown[],
  handlers: Handlers = {},
  capabilities: Readonly<Record<string, unknown>> = { tools: { listChanged: true } },
  instructions: () => string | undefined = () => undefined,
): LegacyHttp {
  const sessions = new Set<string>();
  const methods: Handlers = {
    initialize: ({ response }) => {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader("mcp-session-id", session);
      return {
        protocolVersion: "2025-06-18",
        capabilities,
        serverInfo: { name: "fixture", version: "1.0.0" },
        instructions: instructions(),
      };
    },
    "tools/list": () => ({ tools }),
    "tools/call": ({ params }) => said(JSON.stringify(params.arguments)),
    GET: ({ response }) => void response.writeHead(405).end(),
    DELETE: ({ response }) => void response.writeHead(200).end(),
    ...handlers,
  };

  const listener: RequestListener = async (request, response) => {
    const raw = { id: 0, params: { arguments: {} }, request, response };
    const isKnown = sessions.has(String(request.headers["mcp-session-id"]));
    if (request.method === "GET" && !isKnown) return refuse(response, 404, null, -32001, "no such session");
    if (request.method !== "POST") return void methods[request.method ?? ""]?.(raw);
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return;
    const { id, method, params } = JSON.parse(body);
    if (method === "server/discover") return refuse(response, 400, id, -32601, "no such method");
    if (method !== "initialize" && !isKnown) return refuse(response, 404, id, -32001, "no such session");
    if (id === undefined || method === undefined) {
      methods[method ?? "response"]?.({
        ...raw,
        id,
        params: method === undefined ? JSON.parse(body) : params,
      });
      return void response.writeHead(202).end();
    }
    const result = await methods[method]?.({ ...raw, id, params });
    if (result === undefined) return;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  return Object.assign(listener, { forgetSessions: () => sessions.clear() });
}

/** A result that says something. */
export function said(value: string): Record<string, unknown> {
  return { content: [{ type: "text", text: value }] };
}

function refuse(response: ServerResponse, status: number, id: unknown, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
}
