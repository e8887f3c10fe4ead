/**
 * An authorization server and an MCP server that it protects, each on a port of its own. Everything secret that they
 * issue has `canary` in it, so that a test can look for it anywhere.
 */
import { createHash, createPublicKey, randomUUID, verify } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { type RemoteServer, remoteServer } from "../remote-server.ts";

export interface OAuthBehaviour {
  /** Seconds an access token lives; undefined: it is not said. */
  expiresIn?: number | undefined;
  /** Whether a refresh token is issued, and replaced when it is used. */
  refresh: "none" | "same" | "rotating";
  /** Ways for a client to introduce itself. */
  registration: boolean;
  clientDocuments: boolean;
  /** Clients known beforehand, with their secrets. */
  clients: Record<string, string>;
  authMethods: string[];
  /** The `iss` of the authorization response. */
  iss: "right" | "wrong" | "missing";
  advertisesIss: boolean;
  /** Whom the MCP server names; undefined: the one that belongs to it. */
  authorizationServer?: string | undefined;
  /** Of the protected resource; undefined: its own address. */
  resource?: string | undefined;
  scopesSupported?: string[] | undefined;
  offlineAccess: boolean;
  /** What the MCP server wants for a request, by method; `*` for all others. */
  scopeFor: Record<string, string>;
  /** What the token endpoint does instead of its work. */
  tokenEndpoint: "works" | "down" | "garbage" | "hangs";
  /** What it issues is worth nothing at the MCP server. */
  forgetsTokens: boolean;
  /** Takes its time to say that a refresh token is void. */
  refusesSlowly: boolean;
  /** The person at the browser says no. */
  denies: boolean;
  /** Gives out less than it was asked for. */
  grantsOnly?: string | undefined;
  /** Nothing is protected until this is true. */
  isProtected: boolean;
  /** What a client that wants a stream is answered with. */
  getStatus: number;
  /** What a call of this tool waits for before it is answered. */
  holdCall?: ((name: string) => Promise<void>) | undefined;
  publicKey?: string | undefined;
}

export interface OAuthServers extends AsyncDisposable {
  readonly url: string;
  readonly issuer: string;
  readonly behaviour: OAuthBehaviour;
  /** Forms that came to the token endpoint. */
  readonly tokenRequests: Record<string, string>[];
  readonly registrations: Record<string, unknown>[];
  readonly revoked: string[];
  /** Of every request to the MCP server: its method and the token it came with. */
  readonly mcpRequests: { readonly method: string; readonly token: string | undefined }[];
  /** Every secret ever issued or received. */
  readonly secrets: Set<string>;
  /** Makes access tokens worthless, as if their time were over. */
  expireTokens(): void;
  revokeRefreshTokens(): void;
  /** The next answer of the token endpoint comes when the returned function is called. */
  holdTokens(): () => void;
  /** How many answers are held back. */
  readonly held: number;
  /** Plays the browser and the person in front of it: where they end up. */
  visit(url: string): Promise<URL>;
}

interface Issued {
  readonly scope: string;
  readonly clientId: string;
}

interface Code extends Issued {
  readonly challenge: string;
  readonly redirectUri: string;
  readonly resource: string;
}

export async function oauthServers(change: Partial<OAuthBehaviour> = {}): Promise<OAuthServers> {
  const behaviour: OAuthBehaviour = {
    expiresIn: 3600,
    refresh: "rotating",
    registration: true,
    clientDocuments: false,
    clients: {},
    authMethods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
    iss: "right",
    advertisesIss: true,
    offlineAccess: false,
    scopeFor: { "*": "mcp:basic" },
    tokenEndpoint: "works",
    forgetsTokens: false,
    refusesSlowly: false,
    denies: false,
    isProtected: true,
    getStatus: 405,
    ...change,
  };
  const state = new State();
  const issuerOf = () => new URL(authorization.url).origin;
  const authorization: RemoteServer = await remoteServer(authorizationServer(behaviour, state, issuerOf));
  const mcp: RemoteServer = await remoteServer(protectedServer(behaviour, state, issuerOf, () => mcp.url));
  return {
    url: mcp.url,
    get issuer() {
      return issuerOf();
    },
    behaviour,
    tokenRequests: state.tokenRequests,
    registrations: state.registrations,
    revoked: state.revoked,
    mcpRequests: state.mcpRequests,
    secrets: state.secrets,
    expireTokens: () => state.access.clear(),
    revokeRefreshTokens: () => state.refresh.clear(),
    holdTokens() {
      let release = () => {};
      state.hold = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    get held() {
      return state.held;
    },
    async visit(url) {
      const response = await fetch(url, { redirect: "manual" });
      const location = response.headers.get("location");
      if (location === null) throw new Error(`the authorization server answered ${response.status}`);
      return new URL(location);
    },
    async [Symbol.asyncDispose]() {
      await mcp[Symbol.asyncDispose]();
      await authorization[Symbol.asyncDispose]();
    },
  };
}

class State {
  readonly clients = new Map<string, { secret?: string; redirectUris: string[] }>();
  readonly codes = new Map<string, Code>();
  readonly access = new Map<string, Issued>();
  readonly refresh = new Map<string, Issued>();
  readonly tokenRequests: Record<string, string>[] = [];
  readonly registrations: Record<string, unknown>[] = [];
  readonly revoked: string[] = [];
  readonly mcpRequests: { method: string; token: string | undefined }[] = [];
  readonly secrets = new Set<string>();
  hold: Promise<void> | undefined;
  held = 0;

  secret(kind: string): string {
    const value = `canary-${kind}-${randomUUID()}`;
    this.secrets.add(value);
    return value;
  }
}

function authorizationServer(
  behaviour: OAuthBehaviour,
  state: State,
  issuerOf: () => string,
): RequestListener {
  const routes: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => unknown> = {
    "GET /.well-known/oauth-authorization-server": (_request, response) =>
      json(response, 200, metadataOf(behaviour, issuerOf())),
    "GET /authorize": (_request, response, url) => authorize(behaviour, state, issuerOf(), response, url),
    "POST /register": async (request, response) => {
      const asked = JSON.parse(await text(request)) as Record<string, unknown>;
      state.registrations.push(asked);
      const client_id = `registered-${randomUUID()}`;
      const isPublic = asked.token_endpoint_auth_method === "none";
      const secret = isPublic ? undefined : state.secret("client-secret");
      state.clients.set(client_id, {
        ...(secret ? { secret } : {}),
        redirectUris: asked.redirect_uris as string[],
      });
      json(response, 201, { ...asked, client_id, ...(secret ? { client_secret: secret } : {}) });
    },
    "POST /token": async (request, response) => {
      const form = Object.fromEntries(new URLSearchParams(await text(request)));
      state.tokenRequests.push(form);
      const { hold } = state;
      state.hold = undefined;
      state.held++;
      await hold;
      state.held--;
      if (behaviour.tokenEndpoint === "hangs") return;
      if (behaviour.tokenEndpoint === "down") return void response.writeHead(503).end("come back later");
      if (behaviour.tokenEndpoint === "garbage") return void response.writeHead(200).end("<html>");
      const answer = token(behaviour, state, issuerOf(), form, request.headers.authorization);
      if ("error" in answer && behaviour.refusesSlowly) await delay(500);
      json(response, "error" in answer ? 400 : 200, answer);
    },
    "POST /revoke": async (request, response) => {
      state.revoked.push(new URLSearchParams(await text(request)).get("token") ?? "");
      response.writeHead(200).end();
    },
  };
  return (request, response) => {
    const url = new URL(request.url!, issuerOf());
    const route = routes[`${request.method} ${url.pathname}`];
    if (!route) return void response.writeHead(404).end();
    void Promise.resolve(route(request, response, url)).catch(() => response.destroy());
  };
}

function metadataOf(behaviour: OAuthBehaviour, issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    ...(behaviour.registration ? { registration_endpoint: `${issuer}/register` } : {}),
    client_id_metadata_document_supported: behaviour.clientDocuments,
    authorization_response_iss_parameter_supported: behaviour.advertisesIss,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: behaviour.authMethods,
    ...(behaviour.offlineAccess ? { scopes_supported: ["mcp:basic", "offline_access"] } : {}),
  };
}

function authorize(
  behaviour: OAuthBehaviour,
  state: State,
  issuer: string,
  response: ServerResponse,
  url: URL,
): void {
  const asked = Object.fromEntries(url.searchParams) as Record<string, string>;
  const client = state.clients.get(asked.client_id!);
  const isKnown =
    client?.redirectUris.includes(asked.redirect_uri!) ??
    (asked.client_id! in behaviour.clients ||
      (behaviour.clientDocuments && asked.client_id!.startsWith("https:")));
  if (!isKnown || asked.response_type !== "code" || asked.code_challenge_method !== "S256")
    return void response.writeHead(400).end("unknown client, or no PKCE");

  const back = new URL(asked.redirect_uri!);
  back.searchParams.set("state", asked.state!);
  if (behaviour.iss !== "missing")
    back.searchParams.set("iss", behaviour.iss === "right" ? issuer : "https://evil.example.com");
  if (behaviour.denies) {
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("error_description", "the person said <b>no</b>");
  } else {
    const code = state.secret("code");
    const scope = behaviour.grantsOnly ?? asked.scope ?? "";
    state.codes.set(code, {
      scope,
      clientId: asked.client_id!,
      challenge: asked.code_challenge!,
      redirectUri: asked.redirect_uri!,
      resource: asked.resource ?? "",
    });
    back.searchParams.set("code", code);
  }
  response.writeHead(302, { location: back.href }).end();
}

function token(
  behaviour: OAuthBehaviour,
  state: State,
  issuer: string,
  form: Record<string, string>,
  authorization: string | undefined,
): Record<string, unknown> {
  const client = clientOf(behaviour, state, issuer, form, authorization);
  if (client === undefined) return { error: "invalid_client" };
  if (form.grant_type === "client_credentials")
    return issue(behaviour, state, { scope: form.scope ?? "", clientId: client }, "none");
  if (form.grant_type === "refresh_token") {
    const grant = state.refresh.get(form.refresh_token!);
    if (grant?.clientId !== client)
      return { error: "invalid_grant", error_description: `no such token: ${form.refresh_token}` };
    if (behaviour.refresh === "rotating") state.refresh.delete(form.refresh_token!);
    return issue(behaviour, state, grant, behaviour.refresh);
  }
  const code = state.codes.get(form.code!);
  state.codes.delete(form.code!);
  const proof = createHash("sha256")
    .update(form.code_verifier ?? "")
    .digest("base64url");
  const isProven = code?.challenge === proof && code.redirectUri === form.redirect_uri;
  if (!isProven || code.clientId !== client || code.resource !== (form.resource ?? ""))
    return { error: "invalid_grant", error_description: "the code, its proof or its client is wrong" };
  return issue(behaviour, state, code, behaviour.refresh);
}

function issue(
  behaviour: OAuthBehaviour,
  state: State,
  { scope, clientId }: Issued,
  refresh: OAuthBehaviour["refresh"],
): Record<string, unknown> {
  const access_token = state.secret("access");
  const granted = behaviour.grantsOnly ?? scope;
  if (!behaviour.forgetsTokens) state.access.set(access_token, { scope: granted, clientId });
  const refresh_token = refresh === "none" ? undefined : state.secret("refresh");
  if (refresh_token) state.refresh.set(refresh_token, { scope, clientId });
  return {
    access_token,
    token_type: "Bearer",
    ...(behaviour.expiresIn === undefined ? {} : { expires_in: behaviour.expiresIn }),
    ...(refresh_token ? { refresh_token } : {}),
    ...(granted === "" ? {} : { scope: granted }),
  };
}

/** The client that a request to the token endpoint comes from, if it proves it. */
function clientOf(
  behaviour: OAuthBehaviour,
  state: State,
  issuer: string,
  form: Record<string, string>,
  authorization: string | undefined,
): string | undefined {
  if (form.client_assertion !== undefined) return assertedClient(behaviour, issuer, form.client_assertion);
  const [id, secret] = authorization?.startsWith("Basic ")
    ? Buffer.from(authorization.slice(6), "base64").toString().split(":")
    : [form.client_id, form.client_secret];
  if (secret !== undefined) state.secrets.add(secret);
  if (id === undefined) return undefined;
  if (id.startsWith("https:") && behaviour.clientDocuments) return id;
  const known = state.clients.get(id);
  const expected = known ? known.secret : behaviour.clients[id];
  return (known || id in behaviour.clients) && (expected ?? "") === (secret ?? "") ? id : undefined;
}

function assertedClient(
  { publicKey }: OAuthBehaviour,
  issuer: string,
  assertion: string,
): string | undefined {
  const [header, payload, signature] = assertion.split(".") as [string, string, string];
  const { alg } = JSON.parse(Buffer.from(header, "base64url").toString());
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const key = {
    key: createPublicKey(publicKey!),
    ...(alg.startsWith("ES") ? { dsaEncoding: "ieee-p1363" } : {}),
  };
  const isSigned = verify(
    alg === "EdDSA" ? null : "sha256",
    Buffer.from(`${header}.${payload}`),
    key as Parameters<typeof verify>[2],
    Buffer.from(signature, "base64url"),
  );
  return isSigned && claims.aud === issuer && claims.iss === claims.sub ? claims.sub : undefined;
}

/** A server of 2025-11-25 with sessions and the tools `hello` and `admin`. */
function protectedServer(
  behaviour: OAuthBehaviour,
  state: State,
  issuerOf: () => string,
  urlOf: () => string,
): RequestListener {
  const metadataPath = "/.well-known/oauth-protected-resource/mcp";
  return async (request, response) => {
    const metadataUrl = new URL(metadataPath, urlOf()).href;
    if (request.url === metadataPath) {
      return json(response, 200, {
        resource: behaviour.resource ?? urlOf(),
        authorization_servers: [behaviour.authorizationServer ?? issuerOf()],
        ...(behaviour.scopesSupported ? { scopes_supported: behaviour.scopesSupported } : {}),
      });
    }
    if (request.url !== "/mcp") return void response.writeHead(404).end();
    const bearer = request.headers.authorization?.replace(/^Bearer /, "");
    if (request.method !== "POST") {
      state.mcpRequests.push({ method: request.method!, token: bearer });
      const isKnown = !behaviour.isProtected || state.access.has(bearer ?? "");
      const farewell = isKnown ? 200 : 401;
      return void response.writeHead(request.method === "DELETE" ? farewell : behaviour.getStatus).end();
    }
    const message = JSON.parse(await text(request)) as {
      id?: number;
      method: string;
      params?: { name?: string };
    };
    const method = message.params?.name ? `${message.method} ${message.params.name}` : message.method;
    state.mcpRequests.push({ method, token: bearer });

    const wanted = behaviour.scopeFor[method] ?? behaviour.scopeFor["*"] ?? "";
    const challenge = (more: string) =>
      `Bearer resource_metadata="${metadataUrl}"${wanted === "" ? "" : `, scope="${wanted}"`}${more}`;
    const granted = bearer === undefined ? undefined : state.access.get(bearer);
    if (behaviour.isProtected && granted === undefined)
      return void response.writeHead(401, { "www-authenticate": challenge("") }).end("who are you?");
    const has = granted?.scope.split(" ") ?? [];
    if (behaviour.isProtected && !wanted.split(" ").every((scope) => scope === "" || has.includes(scope))) {
      const header = { "www-authenticate": challenge(', error="insufficient_scope"') };
      return void response.writeHead(403, header).end("not enough");
    }
    if (message.method === "tools/call") await behaviour.holdCall?.(String(message.params?.name));
    answer(message, response);
  };
}

function answer(
  message: { id?: number; method: string; params?: { name?: string } },
  response: ServerResponse,
): void {
  const { id, method, params } = message;
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "protected", version: "1.0.0" },
    },
    "tools/list": { tools: ["hello", "admin"].map((name) => ({ name, inputSchema: { type: "object" } })) },
    "tools/call": { content: [{ type: "text", text: `${params?.name} was called` }] },
    ping: {},
  };
  const result = results[method];
  response.setHeader("mcp-session-id", "the-session");
  const error = { code: -32601, message: "no such method" };
  json(response, 200, { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
