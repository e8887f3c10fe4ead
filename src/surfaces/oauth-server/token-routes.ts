import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConsentRefusal, IssuedTokens } from "../../call/identity/consents.ts";
import { ownAddress } from "../../call/identity/resource.ts";
import { addressKey } from "../../lib/flow/rate-limits.ts";
import { err, type Result } from "../../lib/result.ts";
import type { ApiContext } from "../api/api-options.ts";
import { parseResourcePath } from "./authorization-request.ts";
import { ENDPOINTS } from "./metadata.ts";
import type { OAuthParts } from "./oauth-parts.ts";
import { type Parameters, readParameters } from "./parameters.ts";

const TOKEN_PARAMETERS = [
  "grant_type",
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "code_verifier",
  "refresh_token",
  "resource",
  "scope",
] as const;

type TokenParameters = Parameters<(typeof TOKEN_PARAMETERS)[number]>;

interface TokenRefusal {
  readonly error:
    | ConsentRefusal["error"]
    | "invalid_request"
    | "invalid_client"
    | "unsupported_grant_type"
    | "temporarily_unavailable";
  readonly message: string;
}

type TokenAnswer = Result<IssuedTokens, TokenRefusal>;

/** Mounts the routes where clients exchange a code for tokens, renew them, revoke them, and register. */
export function mountTokenRoutes(
  app: FastifyInstance,
  { hub }: ApiContext,
  { clients, consents }: OAuthParts,
): void {
  app.post(ENDPOINTS.token, async (request, reply) => {
    const form = readForm(request, TOKEN_PARAMETERS);
    const answer: TokenAnswer = form.ok ? await exchange(form.value, request) : form;
    if (!answer.ok) return refuse(request, reply, answer.error);
    const { accessToken, expiresInMs, refreshToken, scopes } = answer.value;
    return reply.send({
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: Math.floor(expiresInMs / 1000),
      refresh_token: refreshToken,
      scope: scopes.join(" "),
    });
  });

  // RFC 7009: an unknown token counts as revoked.
  app.post(ENDPOINTS.revoke, async (request, reply) => {
    const form = readForm(request, ["token", "client_id", "client_secret"]);
    if (!form.ok) return refuse(request, reply, form.error);
    const { token, client_id } = form.value;
    if (token === undefined) return refuse(request, reply, refuseMissing("token"));
    await consents.revoke(token, client_id!);
    return reply.send();
  });

  app.post(ENDPOINTS.register, async ({ body }, reply) => {
    if (!hub.settings.oauthServer.dynamicRegistration)
      return reply.code(403).send({
        error: "access_denied",
        error_description:
          "clients do not register here: use the address of a client-id metadata document as client_id; the operator of Toolkeep can allow it: oauth_server.dynamic_registration",
      });
    const client = clients.register(body);
    if (!client.ok)
      return reply.code(400).send({ error: client.error.error, error_description: client.error.message });
    const { id, name, redirectUris } = client.value;
    return reply.code(201).send({
      client_id: id,
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  async function exchange(form: TokenParameters, request: FastifyRequest): Promise<TokenAnswer> {
    const resource = readResource(form, request);
    if (!resource.ok) return resource;
    const proof = {
      clientId: form.client_id!,
      ...(resource.value === undefined ? {} : { resource: resource.value }),
    };
    if (form.grant_type === "authorization_code") return redeem(form, proof);
    if (form.grant_type === "refresh_token") return renew(form, proof);
    return err({
      error: "unsupported_grant_type",
      message: "grant_type has to be authorization_code or refresh_token",
    });
  }

  async function redeem(
    form: TokenParameters,
    proof: { clientId: string; resource?: string },
  ): Promise<TokenAnswer> {
    const { code, redirect_uri: redirectUri, code_verifier: verifier } = form;
    if (code === undefined) return err(refuseMissing("code"));
    if (redirectUri === undefined) return err(refuseMissing("redirect_uri"));
    if (verifier === undefined) return err(refuseMissing("code_verifier"));
    if (!/^[\w.~-]{43,128}$/.test(verifier))
      return err({
        error: "invalid_grant",
        message: "code_verifier has to be 43 to 128 characters of RFC 7636",
      });
    return consents.redeem(code, { ...proof, redirectUri, verifier });
  }

  async function renew(
    form: TokenParameters,
    proof: { clientId: string; resource?: string },
  ): Promise<TokenAnswer> {
    if (form.refresh_token === undefined) return err(refuseMissing("refresh_token"));
    const scopes = form.scope?.split(" ").filter((scope) => scope !== "" && scope !== "offline_access");
    return consents.renew(form.refresh_token, {
      ...proof,
      ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
    });
  }

  /** Undefined if the client names no resource; an error if it is not one of ours. */
  function readResource(
    { resource }: TokenParameters,
    { headers }: FastifyRequest,
  ): Result<string | undefined, TokenRefusal> {
    if (resource === undefined) return { ok: true, value: undefined };
    const path = parseResourcePath(resource, ownAddress(hub.settings, headers.host));
    return path === undefined
      ? err({ error: "invalid_target", message: "resource is not an address of this server" })
      : { ok: true, value: path };
  }

  /** Slows down guessing. Correct requests pass, however many wrong ones came from the same address. */
  function refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    { error, message }: TokenRefusal,
  ): FastifyReply {
    const { failuresPerMinute } = hub.settings.rateLimits;
    const wait =
      error === "invalid_grant"
        ? hub.identity.failures.take(addressKey(request.socket.remoteAddress), failuresPerMinute)
        : 0;
    if (wait > 0) {
      reply.code(429).header("retry-after", String(Math.ceil(wait / 1000)));
      return reply.send({
        error: "temporarily_unavailable",
        error_description: "too many wrong codes and tokens came from this address",
      });
    }
    return reply.code(error === "invalid_client" ? 401 : 400).send({ error, error_description: message });
  }
}

/** Reads the form of a public client, which names itself and has no secret. */
function readForm<N extends string>(
  { body, headers }: FastifyRequest,
  names: readonly N[],
): Result<Parameters<N>, TokenRefusal> {
  if (!(body instanceof URLSearchParams))
    return err({ error: "invalid_request", message: "the body has to be application/x-www-form-urlencoded" });
  const form = readParameters(body, names);
  if (!form.ok) return err({ error: "invalid_request", message: form.error });
  const { client_id, client_secret } = form.value as Parameters<string>;
  if (headers.authorization !== undefined || client_secret !== undefined)
    return err({ error: "invalid_client", message: "clients have no secret here: send client_id alone" });
  return client_id === undefined ? err(refuseMissing("client_id")) : form;
}

function refuseMissing(name: string): TokenRefusal {
  return { error: "invalid_request", message: `${name} is missing` };
}
