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
import { consentPage, refusedPage, waitForSignInPage } from "./consent-page.ts";
import { ENDPOINTS } from "./metadata.ts";
import type { OAuthParts } from "./oauth-parts.ts";
import { readParameters } from "./parameters.ts";
import { isLoopback, isRegistered } from "./redirect-uri.ts";

const DAY_MS = 24 * 3_600_000;

/** A request of a client that is known, to be answered at an address of that client. */
interface Asked {
  readonly client: OAuthClient;
  readonly parameters: RequestParameters;
  readonly redirectUri: string;
}

/**
 * Where a person decides whether a client gets tokens. Nothing is looked up, fetched or told before the person has
 * signed in, and nobody is sent to an address that is not the client's.
 */
export function authorizeRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { clients, consents }: OAuthParts,
): void {
  const { hub, options } = context;

  app.get(ENDPOINTS.authorize, { exposeHeadRoute: false }, async (request, reply) => {
    const query = queryOf(request);
    const here = await signedIn(request, context);
    if (!here)
      return page(
        reply.code(401),
        waitForSignInPage(query, new URL(addressOf(request)).host, new URL(options.url()).host),
      );

    if (here.person.role !== "admin") return page(reply.code(403), refusedPage(onlyAdmins(here.person)));
    const asked = await readAsked(query, reply);
    if (!asked.ok) return page(reply.code(400), refusedPage(asked.error));
    const { client, parameters } = asked.value;
    const wanted = readRequest(parameters, addressOf(request));
    if (!wanted.ok) return refuse(reply, asked.value, wanted.error, addressOf(request));
    const seal = sealRequest(parameters, here.secret);
    const agents = hub.identity.agents();
    allowLeavingTo(reply, asked.value.redirectUri);
    const renewalDays = Math.max(1, Math.round(hub.settings.oauthServer.refreshTokenMs / DAY_MS));
    return page(reply, consentPage({ client, parameters, request: wanted.value, agents, seal, renewalDays }));
  });

  app.post(ENDPOINTS.authorize, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const here = await signedIn(request, context);
    if (!here)
      return page(
        reply.code(401),
        refusedPage("Your session has ended: run toolkeep open, then begin again"),
      );
    const given = readParameters(form, [...REQUEST_PARAMETERS, "seal", "agent", "decision"]);
    if (!given.ok || !isSealed(given.value, here.secret, given.value.seal) || !isOwnPage(request))
      return page(
        reply.code(403),
        refusedPage("This form does not come from a page that Toolkeep showed you"),
      );
    if (here.person.role !== "admin") return page(reply.code(403), refusedPage(onlyAdmins(here.person)));

    const asked = await readAsked(form, reply);
    if (!asked.ok) return page(reply.code(400), refusedPage(asked.error));
    const address = addressOf(request);
    const wanted = readRequest(asked.value.parameters, address);
    if (!wanted.ok) return refuse(reply, asked.value, wanted.error, address);
    if (given.value.decision !== "allow")
      return leave(reply, asked.value, { error: "access_denied", iss: address });
    const code = await consent(asked.value, wanted.value, given.value.agent, form.getAll("allowed"));
    if (!code.ok) return page(reply.code(400), refusedPage(code.error));
    await hub.audit.note("admin.consent", here.person.name, given.value.agent ?? null, {
      client: asked.value.client.id,
      scopes: form.getAll("allowed").slice(0, SCOPES.length),
    });
    return leave(reply, asked.value, { code: code.value, iss: address });
  });

  /** Which client asks, and that it may be answered where it wants to be. The error is for the person alone. */
  async function readAsked(given: URLSearchParams, reply: FastifyReply): Promise<Result<Asked, string>> {
    const read = readParameters(given, REQUEST_PARAMETERS);
    if (!read.ok) return err(`The request cannot be read: ${read.error}`);
    const { client_id, redirect_uri } = read.value;
    if (client_id === undefined)
      return err("The request does not say which client asks: client_id is missing");
    const client = await whileConnected(reply, (signal) => clients.get(client_id, signal));
    if (!client.ok) return err(`It cannot be told which client asks: ${client.error}`);
    if (redirect_uri === undefined || !isRegistered(redirect_uri, client.value.redirectUris))
      return err(
        `${client.value.name} asks to be answered at an address that it did not register (redirect_uri)`,
      );
    return ok({ client: client.value, parameters: read.value, redirectUri: redirect_uri });
  }

  async function consent(
    { client, redirectUri }: Asked,
    { challenge, resource, scopes: asked }: AuthorizationRequest,
    agent: string | undefined,
    allowed: readonly string[],
  ): Promise<Result<string, string>> {
    const scopes = SCOPES.filter((scope) => asked.includes(scope) && allowed.includes(scope));
    if (agent === undefined) return err("Choose an agent: go back and try again");
    if (scopes.length === 0) return err("Choose at least one scope: go back and try again");
    try {
      const code = await consents.create({ client, agent, scopes, resource, redirectUri, challenge });
      options.log.info(
        { client: client.id, agent, scopes, resource },
        "a person let a client act as an agent",
      );
      return ok(code);
    } catch (error) {
      if (error instanceof ToolkeepError && error.code === "NOT_FOUND") return err(error.message);
      throw error;
    }
  }

  function addressOf({ headers }: Pick<FastifyRequest, "headers">): string {
    return ownAddress(hub.settings, headers.host);
  }

  /** A browser says where a form was sent from; a request that does not say so is none of its forms. */
  function isOwnPage({ headers }: FastifyRequest): boolean {
    return isOwnOrigin(headers, addressOf({ headers }));
  }
}

/** Not by itself: whoever made up the request could send people anywhere through us. */
function refuse(
  reply: FastifyReply,
  asked: Asked,
  { error, message }: RequestProblem,
  iss: string,
): FastifyReply {
  const url = answerUrl(asked, { error, error_description: message, iss });
  return page(
    reply.code(400),
    refusedPage(`The request of ${asked.client.name} cannot be granted: ${message}`, {
      name: asked.client.name,
      url,
    }),
  );
}

function leave(reply: FastifyReply, asked: Asked, answer: Readonly<Record<string, string>>): FastifyReply {
  allowLeavingTo(reply, asked.redirectUri);
  return reply.redirect(answerUrl(asked, answer), 303);
}

/** With the client's own query, its state, and who we are (RFC 9207). */
function answerUrl({ parameters, redirectUri }: Asked, answer: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (parameters.state !== undefined) url.searchParams.set("state", parameters.state);
  return url.href;
}

/** Browsers hold a form to this also where its answer redirects, and where the client redirects then. */
function allowLeavingTo(reply: FastifyReply, redirectUri: string): void {
  const url = new URL(redirectUri);
  const target = isLoopback(url) ? "http:" : url.protocol;
  reply.header(
    "content-security-policy",
    pagePolicy(`'self' ${target === "https:" ? "https:" : `https: ${target}`}`),
  );
}

/** What a client gets is a token, and those are an admin's to give. */
function onlyAdmins({ name, role }: { readonly name: string; readonly role: string }): string {
  return `Letting a client in wants the role admin, and ${name} has the role ${role}: ask an admin to sign in here`;
}

function page(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").send(text);
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start + 1));
}
