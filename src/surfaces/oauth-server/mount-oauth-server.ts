import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Consents } from "../../call/identity/consents.ts";
import { isResourcePath, ownAddress } from "../../call/identity/resource.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { randomId } from "../../lib/id.ts";
import { createGuardedFetch } from "../../machine/net/guarded-fetch.ts";
import type { ApiContext } from "../api/api-options.ts";
import { answerUnknownRoute } from "../api/failure.ts";
import { PAGE_HEADERS, takeForms } from "../api/pages/page-headers.ts";
import { mountAuthorizeRoutes } from "./authorize-route.ts";
import { ClientDocuments, MAX_DOCUMENT_BYTES } from "./client-documents.ts";
import { buildResourceMetadata, buildServerMetadata } from "./metadata.ts";
import { OAuthClients } from "./oauth-clients.ts";
import type { OAuthParts } from "./oauth-parts.ts";
import { RegisteredClients } from "./registered-client.ts";
import { mountTokenRoutes } from "./token-routes.ts";

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";

/**
 * Mounts Toolkeep's authorization server for its own tokens, and its metadata. None of these routes needs a token. If the
 * server is disabled, only the metadata of the resource stays.
 */
export async function mountOAuthServer(app: FastifyInstance, context: ApiContext): Promise<void> {
  mountMetadataRoutes(app, context);
  const parts = createParts(app, context);
  await app.register(async (server) => {
    takeForms(server);
    answerAsOAuth(server, context);
    mountTokenRoutes(server, context, parts);
  });
  await app.register(async (pages) => {
    takeForms(pages);
    pages.addHook("onRequest", requireEnabled(context));
    pages.addHook("onRequest", async (_request, reply) => {
      reply.headers(PAGE_HEADERS);
    });
    mountAuthorizeRoutes(pages, context, parts);
  });
}

function mountMetadataRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const resource = (request: FastifyRequest, reply: FastifyReply) => {
    const path = readSuffix(request, RESOURCE);
    if (path === undefined || !isResourcePath(path)) return answerUnknownRoute(request, reply);
    const address = ownAddress(hub.settings, request.headers.host);
    return reply.send(buildResourceMetadata(address, path, hub.settings.oauthServer));
  };
  const server = (request: FastifyRequest, reply: FastifyReply) => {
    const { oauthServer } = hub.settings;
    if (!oauthServer.enabled || readSuffix(request, SERVER) !== "") return answerUnknownRoute(request, reply);
    return reply.send(buildServerMetadata(ownAddress(hub.settings, request.headers.host), oauthServer));
  };
  for (const suffix of ["", "/*"]) {
    app.get(RESOURCE + suffix, resource);
    app.get(SERVER + suffix, server);
  }

  /** The rest of the path, without the path of the public URL, which a proxy may have left in it. */
  function readSuffix(request: FastifyRequest, known: string): string | undefined {
    const [path = ""] = request.url.split("?", 1);
    const suffix = path.slice(known.length).replace(/\/$/, "");
    const base = new URL(ownAddress(hub.settings, request.headers.host)).pathname.replace(/\/$/, "");
    return suffix === base || suffix.startsWith(`${base}/`) ? suffix.slice(base.length) : suffix;
  }
}

function createParts(app: FastifyInstance, { hub, options }: ApiContext): OAuthParts {
  const guarded =
    options.documentFetch ??
    createGuardedFetch({
      trustedHosts: () => new Set(hub.settings.net.allowHosts),
      maxBytes: MAX_DOCUMENT_BYTES,
    });
  app.addHook("onClose", () => guarded.close());
  return {
    clients: new OAuthClients(
      new ClientDocuments({ fetch: guarded.fetch, clock: options.clock }),
      new RegisteredClients(hub.vault),
      () => hub.settings.oauthServer.dynamicRegistration,
    ),
    consents: new Consents({
      store: hub.store,
      identity: hub.identity,
      events: hub.events,
      clock: options.clock,
      newId: randomId,
      lifetimes: () => {
        const { accessTokenMs, refreshTokenMs } = hub.settings.oauthServer;
        return { accessMs: accessTokenMs, refreshMs: refreshTokenMs };
      },
    }),
  };
}

/** Answers every failure in the form of RFC 6749, including those of the framework. */
function answerAsOAuth(app: FastifyInstance, context: ApiContext): void {
  app.addHook("onRequest", requireEnabled(context));
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers({ "cache-control": "no-store", pragma: "no-cache" });
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    // The host check may have refused the request earlier, or the daemon may be stopping.
    const status = error instanceof ToolkeepError ? error.status : (error.statusCode ?? 500);
    const name = status < 500 ? "invalid_request" : status === 503 ? "temporarily_unavailable" : undefined;
    if (name) return reply.code(status).send({ error: name, error_description: error.message });
    context.options.log.error(
      { err: error, route: request.routeOptions.url },
      "oauth: a token request failed",
    );
    return reply.code(500).send({ error: "server_error" });
  });
}

function requireEnabled({ hub }: ApiContext) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!hub.settings.oauthServer.enabled) return answerUnknownRoute(request, reply);
  };
}
