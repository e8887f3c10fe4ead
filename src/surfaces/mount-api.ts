import type { FastifyInstance } from "fastify";
import { trustRoutes } from "../features/trusted-files/routes.ts";
import { TrustedFiles } from "../features/trusted-files/tables.ts";
import type { Hub } from "../hub.ts";
import { withExactNumbers } from "../lib/exact-json.ts";
import { Admins } from "./api/admins.ts";
import type { ApiContext, ApiOptions } from "./api/api-options.ts";
import { ApprovalLinks } from "./api/approvals/approval-links.ts";
import { ApprovalWebhook } from "./api/approvals/approval-webhook.ts";
import { recordActions } from "./api/audit/admin-audit.ts";
import { auditExportRoute } from "./api/audit/export-audit.ts";
import { eventRoutes } from "./api/daemon/events.ts";
import { healthRoute } from "./api/daemon/health.ts";
import { metricsRoute } from "./api/daemon/metrics.ts";
import { openApiRoute } from "./api/daemon/openapi.ts";
import { daemonRoutes } from "./api/daemon/routes.ts";
import { EventFeed } from "./api/event-feed.ts";
import { answerFailure, answerUnknownRoute } from "./api/failure.ts";
import { addFeatureRoutes } from "./api/feature-routes.ts";
import { CallStatistics } from "./api/metrics/call-statistics.ts";
import { collectRoutes } from "./api/openapi.ts";
import { oauthCallbackRoute } from "./api/routes/identity/oauth-callback.ts";
import { pageRoutes } from "./api/routes/identity/page.ts";
import { sessionRoutes } from "./api/routes/identity/session.ts";
import { serverTestRoutes } from "./api/routes/servers/server-tests.ts";
import { approvalAnswerRoutes } from "./api/routes/trust/approval-answer.ts";
import { compileSchema, explainMismatch, writeJson } from "./api/schema.ts";
import { StoreCheck } from "./api/store-check.ts";
import { callStreamRoute } from "./api/tools/call-stream.ts";
import { mountOAuthServer } from "./oauth-server/mount-oauth-server.ts";

export interface Api {
  /** Ends the streams that last as long as their readers, and opens no more. */
  endStreams(): void;
}

/**
 * Adds `/api`, `/metrics`, `/health` and the dashboard to `app`. Everything under `/api`, and `/metrics`, wants
 * an admin.
 */
export async function mountApi(app: FastifyInstance, hub: Hub, options: ApiOptions): Promise<Api> {
  const { clock, adminToken, url } = options;
  const startedAt = clock();
  const admins = new Admins({
    identity: hub.identity,
    people: hub.people,
    clock,
    adminToken,
    url,
    rateLimits: () => hub.settings.rateLimits,
  });
  const storeCheck = new StoreCheck(hub.store, clock);
  const calls = new CallStatistics(hub.events, hub.catalog, clock);
  app.addHook("onClose", async () => calls.close());
  const context: ApiContext = { hub, options, startedAt, storeCheck, admins, calls };
  const feed = new EventFeed({
    events: hub.events,
    redact: (text) => hub.vault.redact(text),
    epoch: startedAt.toString(36),
    ...options.events,
  });
  const bodyLimit = hub.settings.limits.maxMessageBytes;
  const routes = collectRoutes(app);
  app.addHook("preClose", async () => feed.close());

  oauthCallbackRoute(app, context);
  const links = new ApprovalLinks(hub.vault, clock);
  const webhook = new ApprovalWebhook({
    questions: hub.questions,
    settings: () => hub.settings,
    vault: hub.vault,
    links,
    agentName: (id) => hub.identity.agentById(id)?.name ?? id,
    url,
    clock,
    log: options.log,
    ...options.webhook,
  });
  app.addHook("onClose", () => webhook.close());
  await app.register(async (open) => approvalAnswerRoutes(open, context, links));
  await app.register(async (open) => {
    useSchemas(open, options);
    healthRoute(open, context);
  });
  await app.register(async (pages) => pageRoutes(pages, context));
  await mountOAuthServer(app, context);
  await app.register(async (metrics) => {
    useSchemas(metrics, options);
    metrics.addHook("onRequest", admins.hook);
    metricsRoute(metrics, context, feed);
  });

  await app.register(
    async (api) => {
      useSchemas(api, options);
      readExactNumbers(api);
      api.setNotFoundHandler(answerUnknownRoute);
      api.addHook("onRoute", (route) => {
        route.bodyLimit ??= bodyLimit;
      });
      api.addHook("onRequest", admins.hook);
      recordActions(api, context);
      for (const addRoutes of ROUTES) addRoutes(api, context);
      const { reloadSettings } = options;
      const trust = trustRoutes({ trust: new TrustedFiles(hub.store.database), reloadSettings, clock });
      const featureRoutes = hub.features.flatMap(({ routes = [] }) => routes);
      addFeatureRoutes(api, [...daemonRoutes(context), ...featureRoutes, ...trust], { admins, url });
      eventRoutes(api, feed, admins);
      openApiRoute(api, context, routes);
    },
    { prefix: "/api" },
  );
  return { endStreams: () => feed.close() };
}

function useSchemas(app: FastifyInstance, { log }: ApiOptions): void {
  app.setValidatorCompiler(compileSchema);
  app.setSerializerCompiler(writeJson);
  app.setSchemaErrorFormatter(explainMismatch);
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, log));
}

/** Arguments of tools come this way, too. */
function readExactNumbers(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) =>
    parse(request, withExactNumbers(body.toString()), done),
  );
}

const ROUTES = [sessionRoutes, serverTestRoutes, callStreamRoute, auditExportRoute];
