import { createHmac } from "node:crypto";
import { isResourcePath, OFFERED_SCOPES } from "../../call/identity/resource.ts";
import { labelOf, SCOPES, type TokenScope } from "../../contract/caller.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { isSameSecret } from "../../lib/same-secret.ts";
import type { Parameters } from "./parameters.ts";

/** What of a request counts. The consent page brings exactly these back. */
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

/** What a client asks a person for. */
export interface AuthorizationRequest {
  readonly challenge: string;
  /** Asked for; where nothing was, all that are offered. Without those that cover nothing, unless there is no other. */
  readonly scopes: readonly TokenScope[];
  /** What of them is proposed to the person: commands run only for who named them, or by the person's own tick. */
  readonly proposed: readonly TokenScope[];
  /** The path that the token shall open. */
  readonly resource: string;
}

/** As OAuth names it, with a sentence. */
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

/** `address`: where clients reach us, which every resource of ours begins with. */
export function readRequest(
  parameters: RequestParameters,
  address: string,
): Result<AuthorizationRequest, RequestProblem> {
  const { response_type, code_challenge, code_challenge_method, state } = parameters;
  if (response_type !== "code")
    return problem("unsupported_response_type", `response_type has to be code, ${cameOf(response_type)}`);
  if (code_challenge === undefined || code_challenge_method !== "S256")
    return problem("invalid_request", "code_challenge is required, with code_challenge_method S256 (PKCE)");
  if (!/^[\w-]{43}$/.test(code_challenge))
    return problem("invalid_request", "code_challenge has to be a SHA-256 in base64url, 43 characters");
  if ((state?.length ?? 0) > MAX_STATE_LENGTH)
    return problem("invalid_request", `state may have at most ${MAX_STATE_LENGTH} characters`);
  const resource = resourcePath(parameters.resource, address);
  if (resource === undefined) {
    const expected = `resource has to be ${address}/mcp or an address below`;
    return problem("invalid_target", `${expected}, ${cameOf(parameters.resource)}`);
  }
  const asked = namesIn(parameters.scope);
  const scopes = scopesAmong(asked);
  if (scopes === undefined)
    return problem("invalid_scope", `none of the scopes is known here; they are ${SCOPES.join(" ")}`);
  const proposed = scopes.filter((scope) => isProposed(scope, asked.length > 0));
  return ok({ challenge: code_challenge, scopes, proposed, resource });
}

/** The path of a resource of ours; undefined for any other. */
export function resourcePath(resource: string | undefined, address: string): string | undefined {
  if (resource === undefined || !URL.canParse(resource)) return undefined;
  const url = new URL(resource);
  const own = new URL(address);
  if (url.origin !== own.origin || /[?#]/.test(resource) || url.username !== "" || url.password !== "")
    return undefined;
  const base = withoutSlash(own.pathname);
  const path = withoutSlash(url.pathname);
  if (path !== base && !path.startsWith(`${base}/`)) return undefined;
  const below = path.slice(base.length);
  return isResourcePath(below) ? below : undefined;
}

/**
 * Binds the page's form to the session and to the request that the person saw: without the session's secret nobody can
 * make one, and none fits another request.
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

function namesIn(scope: string | undefined): readonly string[] {
  return (scope ?? "").split(" ").filter((name) => name !== "" && name !== "offline_access");
}

/** Scopes of other systems are passed over: many clients ask for what they always ask for. */
function scopesAmong(asked: readonly string[]): readonly TokenScope[] | undefined {
  if (asked.length === 0) return OFFERED_SCOPES;
  const known = SCOPES.filter((name) => asked.includes(name));
  const labels = [...new Set(asked)].filter((name) => labelOf(name) !== undefined).slice(0, MAX_LABELS);
  return known.length + labels.length > 0 ? [...known, ...(labels as TokenScope[])] : undefined;
}

/** Named or not, a person ticks themselves what lets somebody run commands, or see what bears a label. */
function isProposed(scope: TokenScope, wasAsked: boolean): boolean {
  return scope === "shell" ? wasAsked : labelOf(scope) === undefined;
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function cameOf(value: string | undefined): string {
  return value === undefined ? "and none came" : `not ${JSON.stringify(value.slice(0, 200))}`;
}

function problem(error: RequestProblem["error"], message: string): Result<never, RequestProblem> {
  return err({ error, message });
}
