import { z } from "zod";
import { err, ok, type Result } from "../../lib/result.ts";
import { findRedirectProblem } from "./redirect-uri.ts";

/** A program that asks for tokens. All clients are public: none has a secret. */
export interface OAuthClient {
  readonly id: string;
  /** The client's name for itself. */
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The host that vouches for it; null if it only introduced itself. */
  readonly host: string | null;
}

const MAX_REDIRECT_URIS = 20;
/** Invisible characters, which could disguise a name. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const metadata = z.object({
  client_name: z.string().min(1).max(500).optional(),
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  grant_types: z.array(z.string().max(100)).max(20).optional(),
  response_types: z.array(z.string().max(100)).max(20).optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
});

export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** The parts of a client's metadata that are used, or a sentence that says what is wrong. */
export function readClientMetadata(
  document: unknown,
  fallbackName: string,
): Result<ClientMetadata, { error: "invalid_redirect_uri" | "invalid_client_metadata"; message: string }> {
  const parsed = metadata.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuseMetadata(`${issue?.path.join(".") || "it"}: ${issue?.message ?? "does not fit"}`);
  }
  const { client_name, redirect_uris, grant_types, response_types, token_endpoint_auth_method } = parsed.data;
  if (token_endpoint_auth_method !== undefined && token_endpoint_auth_method !== "none")
    return refuseMetadata(`token_endpoint_auth_method has to be none, not ${token_endpoint_auth_method}`);
  if (grant_types && !grant_types.includes("authorization_code"))
    return refuseMetadata("grant_types has to include authorization_code");
  if (response_types && !response_types.includes("code"))
    return refuseMetadata("response_types has to include code");
  for (const uri of redirect_uris) {
    const problem = findRedirectProblem(uri);
    if (problem !== undefined)
      return err({
        error: "invalid_redirect_uri",
        message: `the redirect URI ${JSON.stringify(uri.slice(0, 200))} cannot be used: ${problem}`,
      });
  }
  return ok({ name: cleanName(client_name ?? fallbackName), redirectUris: redirect_uris });
}

function cleanName(name: string): string {
  const visible = name.replace(INVISIBLE, " ").trim();
  return visible.length > 100 ? `${visible.slice(0, 100)}…` : visible;
}

function refuseMetadata(message: string) {
  return err({ error: "invalid_client_metadata" as const, message });
}
