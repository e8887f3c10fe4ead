import { createHmac } from "node:crypto";
import { isResourcePath, OFFERED_SCOPES } from "../../call/identity/resource.ts";
import { labelOf, SCOPES, type TokenScope } from "../../contract/caller.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Parameters } from "./parameters.ts";

/** The parameters of a request that count. The consent page sends exactly these back. */
export const REQUEST_PARAMETERS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "code_challenge",
  "code_challenge_method",
  "scope",
  "state",
  "resource",
] as const;

export type RequestParameters = Parameters<(typeof REQUEST_PARAMETERS)[number]>;

/** A client's request to a person. */
export interface AuthorizationRequest {
  readonly challenge: string;
  /** The requested scopes, or all that are offered if none was requested. */
  readonly scopes: readonly TokenScope[];
  /** The scopes to preselect. A person has to tick what runs commands themselves, unless the client named it. */
  readonly proposed: readonly TokenScope[];
  /** The path that the token shall open. */
  readonly resource: string;
}

/** An OAuth error code with a sentence. */
export interface RequestProblem {
  readonly error:
    | "invalid_request"
    | "unsupported_response_type"
    | "invalid_scope"
    | "invalid_target"
    | "access_denied";
  readonly message: string;
}

const MAX_STATE_LENGTH = 4_000;
const MAX_LABELS = 20;

/** `address` is where clients reach this server; all its resources start with it. */
export function readRequest(
  parameters: RequestParameters,
  address: string,
): Result<AuthorizationRequest, RequestProblem> {
  const { response_type, code_challenge, code_challenge_method, state } = parameters;
  if (response_type !== "code")
    return refuse(
      "unsupported_response_type",
      `response_type has to be code, ${describeReceived(response_type)}`,
    );
  if (code_challenge === undefined || code_challenge_method !== "S256")
    return refuse("invalid_request", "code_challenge is required, with code_challenge_method S256 (PKCE)");
  if (!/^[\w-]{43}$/.test(code_challenge))
    return refuse("invalid_request", "code_challenge has to be a SHA-256 in base64url, 43 characters");
  if ((state?.length ?? 0) > MAX_STATE_LENGTH)
    return refuse("invalid_request", `state may have at most ${MAX_STATE_LENGTH} characters`);
  const resource = parseResourcePath(parameters.resource, address);
  if (resource === undefined) {
    const expected = `resource has to be ${address}/mcp or an address below`;
    return refuse("invalid_target", `${expected}, ${describeReceived(parameters.resource)}`);
  }
  const requested = splitScopes(parameters.scope);
  const scopes = selectScopes(requested);
  if (scopes === undefined)
    return refuse("invalid_scope", `none of the scopes is known here; they are ${SCOPES.join(" ")}`);
  const proposed = scopes.filter((scope) => isProposed(scope, requested.length > 0));
  return ok({ challenge: code_challenge, scopes, proposed, resource });
}

/** The path of one of our resources; undefined for any other. */
export function parseResourcePath(resource: string | undefined, address: string): string | undefined {
  if (resource === undefined || !URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  const own = new URL(address);
  if (url.origin !== own.origin || /[?#]/.test(resource) || url.username !== "" || url.password !== "")
    return undefined;
  const base = trimSlash(own.pathname);
  const path = trimSlash(url.pathname);
  if (path !== base && !path.startsWith(`${base}/`)) return undefined;
  const below = path.slice(base.length);
  return isResourcePath(below) ? below : undefined;
}

/**
 * Binds the page's form to the session and to the request that the person saw: without the session's secret nobody can
 * make a seal, and no seal fits another request.
 */
export function sealRequest(parameters: RequestParameters, session: string): string {
  const values = REQUEST_PARAMETERS.map((name) => parameters[name] ?? null);
  return createHmac("sha256", session)
    .update(JSON.stringify(["consent", values]))
    .digest("base64url");
}

export function isSealed(parameters: RequestParameters, session: string, seal: string | undefined): boolean {
  return isSameSecret(sealRequest(parameters, session), seal ?? "");
}

function splitScopes(scope: string | undefined): readonly string[] {
  return (scope ?? "").split(" ").filter((name) => name !== "" && name !== "offline_access");
}

/** Ignores scopes of other systems, because many clients always ask for the same ones. */
function selectScopes(requested: readonly string[]): readonly TokenScope[] | undefined {
  if (requested.length === 0) return OFFERED_SCOPES;
  const known = SCOPES.filter((name) => requested.includes(name));
  const labels = [...new Set(requested)].filter((name) => labelOf(name) !== undefined).slice(0, MAX_LABELS);
  return known.length + labels.length > 0 ? [...known, ...(labels as TokenScope[])] : undefined;
}

/** Scopes for labels are never preselected, and `shell` only if the client named it. */
function isProposed(scope: TokenScope, isExplicit: boolean): boolean {
  return scope === "shell" ? isExplicit : labelOf(scope) === undefined;
}

function trimSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function describeReceived(value: string | undefined): string {
  return value === undefined ? "but is missing" : `not ${JSON.stringify(value.slice(0, 200))}`;
}

function refuse(error: RequestProblem["error"], message: string): Result<never, RequestProblem> {
  return err({ error, message });
}
