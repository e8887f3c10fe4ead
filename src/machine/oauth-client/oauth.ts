import { createPrivateKey, type KeyObject } from "node:crypto";
import {
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  computeScopeUnion,
  createPrivateKeyJwtAuth,
  discoverOAuthServerInfo,
  exchangeAuthorization,
  type FetchLike,
  fetchToken,
  isStrictScopeSuperset,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resolveClientMetadata,
  selectClientAuthMethod,
  selectResourceURL,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client";
import { isLoopbackName } from "../../lib/address/loopback.ts";
import type { OAuthConfig } from "../config/settings.ts";
import type { Challenge, Discovery, Grant, PendingSignIn } from "./auth-record.ts";

/** The tokens that an authorization server issued. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** Undefined: valid until it is refused. */
  readonly lifeMs?: number;
}

/** A server, document or authorization server sent invalid data. The message is for people. */
export class OAuthRefusal extends Error {}

const MAX_SCOPE_CHARS = 8192;

/** Looks up where this server lets people sign in. Rejects where its documents contradict each other. */
export async function discover(
  serverUrl: string,
  challenge: Challenge | undefined,
  fetchFn: FetchLike,
): Promise<Discovery> {
  const resourceMetadataUrl = challenge?.resourceMetadataUrl;
  const found = await discoverOAuthServerInfo(serverUrl, {
    fetchFn,
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
  });
  const { resourceMetadata, authorizationServerMetadata: metadata } = found;
  // Rejects a document that speaks of another server: its tokens would be for that one.
  await selectResourceURL(serverUrl, {} as OAuthClientProvider, resourceMetadata);
  const authorizationServerUrl = String(found.authorizationServerUrl);
  return {
    issuer: metadata?.issuer ?? authorizationServerUrl,
    authorizationServerUrl,
    ...(metadata ? { metadata: essential(metadata) } : {}),
    ...(resourceMetadata ? { resource: resourceMetadata.resource } : {}),
    ...(resourceMetadata?.scopes_supported ? { scopesSupported: resourceMetadata.scopes_supported } : {}),
  };
}

/** Combines the scope to request: from the configuration or the server, from earlier requests, and the new one. */
export function scopeToAsk(
  { scopesSupported }: Discovery,
  wanted: {
    readonly configured: string | null | undefined;
    readonly challenged: string | undefined;
    readonly before: string | undefined;
  },
): string | undefined {
  const { configured, challenged, before } = wanted;
  const named = configured ?? challenged ?? scopesSupported?.join(" ");
  const scope = computeScopeUnion(before, named, challenged);
  if (scope !== undefined && scope.length > MAX_SCOPE_CHARS) {
    throw new OAuthRefusal(`it asks for scopes of more than ${MAX_SCOPE_CHARS} characters`);
  }
  return scope;
}

/** Some authorization servers issue nothing to renew an access token with unless they are asked for it. */
export function withOffline({ metadata }: Discovery, scope: string | undefined): string | undefined {
  const isOffered = metadata?.scopes_supported?.includes("offline_access") === true;
  return scope !== undefined && isOffered ? computeScopeUnion(scope, "offline_access") : scope;
}

/** Whether `scope` holds more than `asked` already does. */
export function isMore(scope: string | undefined, asked: string | undefined): boolean {
  return isStrictScopeSuperset(scope, asked);
}

/** Registers Toolkeep with an authorization server that allows anybody to register. */
export async function register(
  discovery: Discovery,
  redirectUri: string,
  scope: string | undefined,
  fetchFn: FetchLike,
): Promise<OAuthClientInformationMixed> {
  const { metadata, authorizationServerUrl } = discovery;
  const method = registrationMethod(metadata?.token_endpoint_auth_methods_supported);
  const clientMetadata = resolveClientMetadata({
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "Toolkeep",
      redirect_uris: [redirectUri],
      response_types: ["code"],
      ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
    },
  });
  const registered = await registerClient(authorizationServerUrl, {
    clientMetadata,
    fetchFn,
    ...(metadata ? { metadata } : {}),
    ...(scope === undefined ? {} : { scope }),
  });
  const { client_id, client_secret, client_id_issued_at, client_secret_expires_at } = registered;
  return {
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(client_id_issued_at === undefined ? {} : { client_id_issued_at }),
    ...(client_secret_expires_at === undefined ? {} : { client_secret_expires_at }),
    redirect_uris: [redirectUri],
    ...(registered.token_endpoint_auth_method === undefined
      ? {}
      : { token_endpoint_auth_method: registered.token_endpoint_auth_method }),
  };
}

/** The URL for a person's browser, and the verifier that proves that we sent them. */
export async function authorizationUrl({
  discovery,
  client,
  redirectUri,
  scope,
  state,
}: Omit<PendingSignIn, "verifier" | "expiresAt">): Promise<{
  readonly url: string;
  readonly verifier: string;
}> {
  const { metadata, authorizationServerUrl, resource } = discovery;
  const started = await startAuthorization(authorizationServerUrl, {
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    ...(metadata ? { metadata } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(resource === undefined ? {} : { resource }),
  });
  const url = started.authorizationUrl;
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new OAuthRefusal(`its authorization endpoint ${url.origin} is not https`);
  }
  return { url: url.href, verifier: started.codeVerifier };
}

/** Throws where an answer may come from another authorization server than the person was sent to. */
export function checkIssuer({ metadata }: Discovery, iss: string | undefined): void {
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
}

export async function redeemCode(
  pending: PendingSignIn,
  answer: { readonly code: string; readonly iss: string | undefined },
  oauth: OAuthConfig | null,
  fetchFn: FetchLike,
): Promise<Tokens> {
  const { discovery, client, verifier, redirectUri } = pending;
  const tokens = await exchangeAuthorization(discovery.authorizationServerUrl, {
    authorizationCode: answer.code,
    ...(answer.iss === undefined ? {} : { iss: answer.iss }),
    codeVerifier: verifier,
    redirectUri,
    ...requestOptions(discovery, client, oauth, fetchFn),
  });
  return tokensOf(tokens, pending.scope);
}

export async function renew(
  { discovery, client, scope }: Grant,
  refreshToken: string,
  oauth: OAuthConfig | null,
  fetchFn: FetchLike,
): Promise<Tokens> {
  const tokens = await refreshAuthorization(discovery.authorizationServerUrl, {
    refreshToken,
    ...requestOptions(discovery, client, oauth, fetchFn),
  });
  return tokensOf(tokens, scope);
}

/** A token for Toolkeep itself, without a person. */
export async function clientCredentials(
  discovery: Discovery,
  client: OAuthClientInformationMixed,
  scope: string | undefined,
  oauth: OAuthConfig,
  fetchFn: FetchLike,
): Promise<Tokens> {
  const authentication = assertionAuth(oauth);
  const provider: Partial<OAuthClientProvider> = {
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ ...client, issuer: discovery.issuer }),
    prepareTokenRequest: () =>
      new URLSearchParams({
        grant_type: "client_credentials",
        ...(scope === undefined ? {} : { scope }),
      }),
    ...(authentication ? { addClientAuthentication: authentication } : {}),
  };
  const { metadata, resource } = discovery;
  const tokens = await fetchToken(provider as OAuthClientProvider, discovery.authorizationServerUrl, {
    fetchFn,
    ...(metadata ? { metadata } : {}),
    ...(resource === undefined ? {} : { resource }),
  });
  return tokensOf(tokens, scope);
}

/** Tells the authorization server that a token is no longer used, where it wants to know. */
export async function revoke(
  { discovery: { metadata }, client }: Grant,
  token: { readonly value: string; readonly kind: "refresh_token" | "access_token" },
  oauth: OAuthConfig | null,
  fetchFn: FetchLike,
): Promise<void> {
  const endpoint = revocationEndpoint(metadata);
  if (endpoint === undefined) return;
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  const body = new URLSearchParams({ token: token.value, token_type_hint: token.kind });
  const assertion = assertionAuth(oauth);
  if (assertion) await assertion(headers, body, endpoint, metadata);
  else authenticate(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, body);
  const response = await fetchFn(endpoint, { method: "POST", headers, body });
  await response.body?.cancel();
}

function revocationEndpoint(metadata: AuthorizationServerMetadata | undefined): string | undefined {
  const endpoint = (metadata as Record<string, unknown> | undefined)?.revocation_endpoint;
  return typeof endpoint === "string" ? endpoint : undefined;
}

function requestOptions(
  { metadata, resource }: Discovery,
  clientInformation: OAuthClientInformationMixed,
  oauth: OAuthConfig | null,
  fetchFn: FetchLike,
) {
  const addClientAuthentication = assertionAuth(oauth);
  return {
    clientInformation,
    fetchFn,
    ...(metadata ? { metadata } : {}),
    ...(resource === undefined ? {} : { resource }),
    ...(addClientAuthentication ? { addClientAuthentication } : {}),
  };
}

/** `private_key_jwt`, where the configuration has a key. */
function assertionAuth(oauth: OAuthConfig | null): AddClientAuthentication | undefined {
  if (!oauth?.privateKey || oauth.clientId === null) return undefined;
  const { clientId } = oauth;
  const key = createPrivateKey(oauth.privateKey);
  const sign = createPrivateKeyJwtAuth({
    issuer: clientId,
    subject: clientId,
    // In bytes, because the SDK accepts EdDSA keys in no other form.
    privateKey: Buffer.from(key.export({ type: "pkcs8", format: "pem" })),
    alg: oauth.privateKeyAlgorithm ?? algorithmOf(key),
  });
  return async (headers, params, url, metadata) => {
    params.set("client_id", clientId);
    await sign(headers, params, url, metadata);
  };
}

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === "ed25519") return "EdDSA";
  if (key.asymmetricKeyType !== "ec") return "RS256";
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === "secp384r1" ? "ES384" : curve === "secp521r1" ? "ES512" : "ES256";
}

function authenticate(
  client: OAuthClientInformationMixed,
  supported: string[],
  headers: Headers,
  params: URLSearchParams,
): void {
  const { client_id, client_secret } = client;
  const method = selectClientAuthMethod(client, supported);
  if (method === "client_secret_basic" && client_secret !== undefined) {
    headers.set("authorization", `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString("base64")}`);
    return;
  }
  params.set("client_id", client_id);
  if (method === "client_secret_post" && client_secret !== undefined)
    params.set("client_secret", client_secret);
}

function registrationMethod(supported: readonly string[] | undefined): string | undefined {
  return ["none", "client_secret_basic", "client_secret_post"].find((method) => supported?.includes(method));
}

function tokensOf(tokens: OAuthTokens, asked: string | undefined): Tokens {
  if (tokens.token_type.toLowerCase() !== "bearer") {
    throw new OAuthRefusal(
      `it issued a token of the kind ${tokens.token_type.slice(0, 40)} instead of Bearer`,
    );
  }
  const seconds = tokens.expires_in;
  // A missing scope means the requested one (RFC 6749, 5.1).
  const scope = tokens.scope ?? asked;
  return {
    accessToken: tokens.access_token,
    ...(tokens.refresh_token === undefined ? {} : { refreshToken: tokens.refresh_token }),
    ...(scope === undefined ? {} : { scope }),
    ...(seconds === undefined || !(seconds > 0) ? {} : { lifeMs: seconds * 1000 }),
  };
}

/** Keeps the needed parts of documents that may be large. */
function essential(metadata: AuthorizationServerMetadata): AuthorizationServerMetadata {
  const kept = Object.entries(metadata).filter(([key, value]) => ESSENTIAL.has(key) && value !== undefined);
  return Object.fromEntries(kept) as AuthorizationServerMetadata;
}

const ESSENTIAL = new Set([
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "scopes_supported",
  "response_types_supported",
  "token_endpoint_auth_methods_supported",
  "code_challenge_methods_supported",
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
]);

function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname.endsWith(".localhost");
}
