import type { FastifyInstance } from "fastify";
import type { Hub } from "../hub.ts";
import { withExactNumbers } from "../lib/exact-json.ts";
import { recordActions } from "./admin-audit.ts";
import { Admins } from "./admins.ts";
import type { ApiContext, ApiOptions } from "./api-options.ts";
import { ApprovalLinks } from "./approval-links.ts";
import { ApprovalWebhook } from "./approval-webhook.ts";
import { EventFeed } from "./event-feed.ts";
import { answerFailure, answerUnknownRoute } from "./failure.ts";
import { mountOAuthServer } from "./oauth-server/mount-oauth-server.ts";
import { collectRoutes } from "./openapi.ts";
import { accessRoutes } from "./routes/access.ts";
import { agentRoutes } from "./routes/agents.ts";
import { approvalAnswerRoutes } from "./routes/approval-answer.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { auditRoutes } from "./routes/audit.ts";
import { callRoutes } from "./routes/calls.ts";
import { configRoutes } from "./routes/config.ts";
import { customToolRoutes } from "./routes/custom-tools.ts";
import { discoveryRoute } from "./routes/discovery.ts";
import { eventRoutes } from "./routes/events.ts";
import { healthRoute } from "./routes/health.ts";
import { homeRoute } from "./routes/home.ts";
import { importRoutes } from "./routes/imports.ts";
import { knowledgeRoutes } from "./routes/knowledge.ts";
import { labelRoutes } from "./routes/labels.ts";
import { memoryRoutes } from "./routes/memories.ts";
import { metricsRoute } from "./routes/metrics.ts";
import { notificationRoutes } from "./routes/notifications.ts";
import { oauthCallbackRoute } from "./routes/oauth-callback.ts";
import { openApiRoute } from "./routes/openapi.ts";
import { pageRoutes } from "./routes/page.ts";
import { peopleRoutes } from "./routes/people.ts";
import { pluginRoutes } from "./routes/plugins.ts";
import { projectNoteRoutes } from "./routes/project-notes.ts";
import { projectRoutes } from "./routes/projects.ts";
import { questionRoutes } from "./routes/questions.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { secretRoutes } from "./routes/secrets.ts";
import { serverAuthRoutes } from "./routes/server-auth.ts";
import { serverTrustRoutes } from "./routes/server-trust.ts";
import { serverRoutes } from "./routes/servers.ts";
import { sessionRoutes } from "./routes/session.ts";
import { settingRoutes } from "./routes/settings.ts";
import { sourceRoutes } from "./routes/sources.ts";
import { statusRoute } from "./routes/status.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { ticketCommentRoutes } from "./routes/ticket-comments.ts";
import { ticketRoutes } from "./routes/tickets.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolSearchRoute } from "./routes/tool-search.ts";
import { toolboxRoutes } from "./routes/toolboxes.ts";
import { toolRoutes } from "./routes/tools.ts";
import { trustRoutes } from "./routes/trust.ts";
import { compileSchema, explainMismatch, writeJson } from "./schema.ts";
import { StoreCheck } from "./store-check.ts";
import { ToolCosts } from "./tool-costs.ts";

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
  const context: ApiContext = { hub, options, startedAt, storeCheck, admins, costs: new ToolCosts() };
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

const ROUTES = [
  statusRoute,
  homeRoute,
  sessionRoutes,
  peopleRoutes,
  agentRoutes,
  tokenRoutes,
  toolboxRoutes,
  serverRoutes,
  serverTrustRoutes,
  serverAuthRoutes,
  pluginRoutes,
  discoveryRoute,
  importRoutes,
  toolRoutes,
  toolSearchRoute,
  accessRoutes,
  customToolRoutes,
  callRoutes,
  auditRoutes,
  taskRoutes,
  projectRoutes,
  projectNoteRoutes,
  ticketRoutes,
  ticketCommentRoutes,
  memoryRoutes,
  sourceRoutes,
  knowledgeRoutes,
  secretRoutes,
  questionRoutes,
  ruleRoutes,
  labelRoutes,
  approvalRoutes,
  notificationRoutes,
  configRoutes,
  settingRoutes,
  trustRoutes,
];
