import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownAddress } from "../../call/identity/resource.ts";
import { SCOPES } from "../../contract/caller.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ApiContext } from "../api/api-options.ts";
import { whileConnected } from "../api/disconnect.ts";
import { pagePolicy } from "../api/pages/page-headers.ts";
import { isOwnOrigin } from "../api/pages/same-origin.ts";
import { signedIn } from "../api/pages/signed-in.ts";
import {
  type AuthorizationRequest,
  isSealed,
  REQUEST_PARAMETERS,
  type RequestParameters,
  type RequestProblem,
  readRequest,
  sealRequest,
} from "./authorization-request.ts";
import type { OAuthClient } from "./client.ts";
import { renderConsentPage, renderRefusedPage, renderSignInPage } from "./consent-page.ts";
import { ENDPOINTS } from "./metadata.ts";
import type { OAuthParts } from "./oauth-parts.ts";
import { readParameters } from "./parameters.ts";
import { isLoopback, isRegistered } from "./redirect-uri.ts";

const DAY_MS = 24 * 3_600_000;

/** A request of a known client, to be answered at one of that client's addresses. */
interface ClientRequest {
  readonly client: OAuthClient;
  readonly parameters: RequestParameters;
  readonly redirectUri: string;
}

/**
 * Mounts the page where a person decides whether a client gets tokens. Nothing is looked up, fetched or revealed before
 * the person has signed in, and nobody is sent to an address that is not the client's.
 */
export function mountAuthorizeRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { clients, consents }: OAuthParts,
): void {
  const { hub, options } = context;

  app.get(ENDPOINTS.authorize, { exposeHeadRoute: false }, async (request, reply) => {
    const query = readQuery(request);
    const here = await signedIn(request, context);
    if (!here)
      return sendPage(
        reply.code(401),
        renderSignInPage(query, new URL(getOwnAddress(request)).host, new URL(options.url()).host),
      );

    if (here.person.role !== "admin")
      return sendPage(reply.code(403), renderRefusedPage(describeAdminOnly(here.person)));
    const clientRequest = await readClientRequest(query, reply);
    if (!clientRequest.ok) return sendPage(reply.code(400), renderRefusedPage(clientRequest.error));
    const { client, parameters } = clientRequest.value;
    const authorization = readRequest(parameters, getOwnAddress(request));
    if (!authorization.ok)
      return refuse(reply, clientRequest.value, authorization.error, getOwnAddress(request));
    const seal = sealRequest(parameters, here.secret);
    const agents = hub.identity.agents();
    allowRedirectTo(reply, clientRequest.value.redirectUri);
    const renewalDays = Math.max(1, Math.round(hub.settings.oauthServer.refreshTokenMs / DAY_MS));
    return sendPage(
      reply,
      renderConsentPage({ client, parameters, request: authorization.value, agents, seal, renewalDays }),
    );
  });

  app.post(ENDPOINTS.authorize, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const here = await signedIn(request, context);
    if (!here)
      return sendPage(
        reply.code(401),
        renderRefusedPage("Your session has ended: run toolkeep open, then begin again"),
      );
    const given = readParameters(form, [...REQUEST_PARAMETERS, "seal", "agent", "decision"]);
    if (!given.ok || !isSealed(given.value, here.secret, given.value.seal) || !isOwnPage(request))
      return sendPage(
        reply.code(403),
        renderRefusedPage("This form does not come from a page that Toolkeep showed you"),
      );
    if (here.person.role !== "admin")
      return sendPage(reply.code(403), renderRefusedPage(describeAdminOnly(here.person)));

    const clientRequest = await readClientRequest(form, reply);
    if (!clientRequest.ok) return sendPage(reply.code(400), renderRefusedPage(clientRequest.error));
    const address = getOwnAddress(request);
    const authorization = readRequest(clientRequest.value.parameters, address);
    if (!authorization.ok) return refuse(reply, clientRequest.value, authorization.error, address);
    if (given.value.decision !== "allow")
      return redirectToClient(reply, clientRequest.value, { error: "access_denied", iss: address });
    const code = await consent(
      clientRequest.value,
      authorization.value,
      given.value.agent,
      form.getAll("allowed"),
    );
    if (!code.ok) return sendPage(reply.code(400), renderRefusedPage(code.error));
    await hub.audit.note("admin.consent", here.person.name, given.value.agent ?? null, {
      client: clientRequest.value.client.id,
      scopes: form.getAll("allowed").slice(0, SCOPES.length),
    });
    return redirectToClient(reply, clientRequest.value, { code: code.value, iss: address });
  });

  /** Identifies the client and checks its redirect URI. The error is only for the person. */
  async function readClientRequest(
    parameters: URLSearchParams,
    reply: FastifyReply,
  ): Promise<Result<ClientRequest, string>> {
    const read = readParameters(parameters, REQUEST_PARAMETERS);
    if (!read.ok) return err(`The request cannot be read: ${read.error}`);
    const { client_id, redirect_uri } = read.value;
    if (client_id === undefined)
      return err("The request does not say which client asks: client_id is missing");
    const client = await whileConnected(reply, (signal) => clients.get(client_id, signal));
    if (!client.ok) return err(`The client cannot be identified: ${client.error}`);
    if (redirect_uri === undefined || !isRegistered(redirect_uri, client.value.redirectUris))
      return err(
        `${client.value.name} asks to be answered at an address that it did not register (redirect_uri)`,
      );
    return ok({ client: client.value, parameters: read.value, redirectUri: redirect_uri });
  }

  async function consent(
    { client, redirectUri }: ClientRequest,
    { challenge, resource, scopes: requested }: AuthorizationRequest,
    agent: string | undefined,
    allowed: readonly string[],
  ): Promise<Result<string, string>> {
    const scopes = SCOPES.filter((scope) => requested.includes(scope) && allowed.includes(scope));
    if (agent === undefined) return err("Choose an agent: go back and try again");
    if (scopes.length === 0) return err("Choose at least one scope: go back and try again");
    try {
      const code = await consents.create({ client, agent, scopes, resource, redirectUri, challenge });
      options.log.info(
        { client: client.id, agent, scopes, resource },
        "oauth: a person let a client act as an agent",
      );
      return ok(code);
    } catch (error) {
      if (error instanceof ToolkeepError && error.code === "NOT_FOUND") return err(error.message);
      throw error;
    }
  }

  function getOwnAddress({ headers }: Pick<FastifyRequest, "headers">): string {
    return ownAddress(hub.settings, headers.host);
  }

  /** Browsers send the origin of a form; a request without it is not one of our forms. */
  function isOwnPage({ headers }: FastifyRequest): boolean {
    return isOwnOrigin(headers, getOwnAddress({ headers }));
  }
}

/** Shows a link instead of redirecting: the author of a forged request could otherwise send people anywhere through us. */
function refuse(
  reply: FastifyReply,
  clientRequest: ClientRequest,
  { error, message }: RequestProblem,
  iss: string,
): FastifyReply {
  const url = buildAnswerUrl(clientRequest, { error, error_description: message, iss });
  return sendPage(
    reply.code(400),
    renderRefusedPage(`The request of ${clientRequest.client.name} cannot be granted: ${message}`, {
      name: clientRequest.client.name,
      url,
    }),
  );
}

function redirectToClient(
  reply: FastifyReply,
  clientRequest: ClientRequest,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  allowRedirectTo(reply, clientRequest.redirectUri);
  return reply.redirect(buildAnswerUrl(clientRequest, answer), 303);
}

/** Keeps the client's own query and adds its state and our issuer (RFC 9207). */
function buildAnswerUrl(
  { parameters, redirectUri }: ClientRequest,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (parameters.state !== undefined) url.searchParams.set("state", parameters.state);
  return url.href;
}

/** Browsers apply this policy also to the redirect that answers a form, and to the client's further redirects. */
function allowRedirectTo(reply: FastifyReply, redirectUri: string): void {
  const url = new URL(redirectUri);
  const target = isLoopback(url) ? "http:" : url.protocol;
  reply.header(
    "content-security-policy",
    pagePolicy(`'self' ${target === "https:" ? "https:" : `https: ${target}`}`),
  );
}

/** A client gets a token, and only an admin may give those. */
function describeAdminOnly({ name, role }: { readonly name: string; readonly role: string }): string {
  return `Letting a client in needs the role admin, but ${name} has the role ${role}: ask an admin to sign in here`;
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(text);
}

function readQuery({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}
