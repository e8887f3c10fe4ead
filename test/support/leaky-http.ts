import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Tokens that the authorization server of `leakyHttp` hands out. */
export interface LeakyTokens {
  readonly access: string;
  readonly refresh: string;
}

/**
 * An MCP server over HTTP that tells whoever asks what was sent to it, address and headers, in its answers and in its
 * refusals. `/mcp` works; `/401`, `/403` and `/500` refuse; `/oauth/mcp` wants a token, and the token endpoint
 * refuses the client while `refusing` says so.
 */
export function leakyHttp(tokens: LeakyTokens, refusing: () => boolean): RequestListener {
  return async (request, response) => {
    const body = await text(request);
    const told = [
      ...[request.url, ...request.rawHeaders, body, decodeURIComponent(request.url ?? "")],
      ...encoded(body),
    ].join(" ");
    const { pathname } = new URL(request.url ?? "/", "http://x");
    const origin = `http://${request.headers.host}`;
    const refusal = /^\/(401|403|500)/.exec(pathname)?.[1];

    if (refusal) return refuse(response, Number(refusal), told);
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json(response, 200, { resource: `${origin}/oauth/mcp`, authorization_servers: [origin] });
    if (pathname.startsWith("/.well-known/"))
      return json(response, 200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        grant_types_supported: ["authorization_code", "client_credentials", "refresh_token"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      });
    if (pathname === "/token") {
      if (refusing()) return json(response, 401, { error: "invalid_client", error_description: told });
      const granted = { access_token: tokens.access, refresh_token: tokens.refresh, scope: told };
      return json(response, 200, { ...granted, token_type: "Bearer", expires_in: 3600 });
    }
    if (pathname.startsWith("/oauth") && request.headers.authorization !== `Bearer ${tokens.access}`) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/oauth/mcp`;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"`);
      return refuse(response, 401, told);
    }
    return answer(request, response, body, told);
  };
}

function answer(request: IncomingMessage, response: ServerResponse, body: string, told: string): void {
  if (request.method !== "POST") return void response.writeHead(405).end(told);
  const { id, method, params } = JSON.parse(body);
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: told, version: "1" },
      instructions: told,
    },
    "tools/list": { tools: [{ name: "leak", description: told, inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: told }], structuredContent: { told } },
  };
  const result = results[method];
  json(response, 200, {
    jsonrpc: "2.0",
    id,
    ...(result ? { result } : { error: { code: -32601, message: `no such method ${told}` } }),
  });
}

/** In the ways in which programs write a text without meaning to hide it. */
function encoded(text: string): string[] {
  const bytes = Buffer.from(text);
  return [
    ...[bytes.toString("base64"), bytes.toString("base64url"), bytes.toString("hex")],
    ...[bytes.toString("hex").toUpperCase(), encodeURIComponent(text)],
    encodeURIComponent(encodeURIComponent(text)),
    JSON.stringify(JSON.stringify(text)),
    [...text].map((each) => `&#${each.codePointAt(0)};`).join(""),
    [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    text.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  ];
}

function refuse(response: ServerResponse, status: number, told: string): void {
  response.writeHead(status, { "content-type": "text/plain" }).end(`refused: ${told}`);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
