import { OFFERED_SCOPES } from "../../call/identity/resource.ts";
import { SCOPES } from "../../contract/caller.ts";
import type { Settings } from "../../machine/config/settings.ts";

export const ENDPOINTS = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  revoke: "/oauth/revoke",
  register: "/oauth/register",
} as const;

/** RFC 9728: describes the resource at `path`. `address` is where clients reach this server. */
export function buildResourceMetadata(address: string, path: string, { enabled }: Settings["oauthServer"]) {
  return {
    resource: `${address}${path}`,
    ...(enabled && { authorization_servers: [address] }),
    scopes_supported: OFFERED_SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Toolkeep",
  };
}

/** RFC 8414: describes how a client gets a token. */
export function buildServerMetadata(address: string, { dynamicRegistration }: Settings["oauthServer"]) {
  return {
    issuer: address,
    authorization_endpoint: address + ENDPOINTS.authorize,
    token_endpoint: address + ENDPOINTS.token,
    revocation_endpoint: address + ENDPOINTS.revoke,
    ...(dynamicRegistration && { registration_endpoint: address + ENDPOINTS.register }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    scopes_supported: [...SCOPES, "offline_access"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}
