import type { FastifyInstance } from "fastify";
import type { Hub } from "../hub.ts";
import type { ApiContext, ApiOptions } from "./api-options.ts";
import { answerFailure, answerUnknownRoute } from "./failure.ts";
import { Logins } from "./logins.ts";
import { requireAdmin } from "./require-admin.ts";
import { agentRoutes } from "./routes/agents.ts";
import { callRoutes } from "./routes/calls.ts";
import { configRoutes } from "./routes/config.ts";
import { healthRoute } from "./routes/health.ts";
import { importRoutes } from "./routes/imports.ts";
import { loginRoutes } from "./routes/login.ts";
import { notificationRoutes } from "./routes/notifications.ts";
import { oauthCallbackRoute } from "./routes/oauth-callback.ts";
import { pageRoutes } from "./routes/page.ts";
import { questionRoutes } from "./routes/questions.ts";
import { serverAuthRoutes } from "./routes/server-auth.ts";
import { serverRoutes } from "./routes/servers.ts";
import { statusRoute } from "./routes/status.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { tokenRoutes } from "./routes/tokens.ts";
import { toolboxRoutes } from "./routes/toolboxes.ts";
import { toolRoutes } from "./routes/tools.ts";
import { trustRoutes } from "./routes/trust.ts";
import { compileSchema, explainMismatch } from "./schema.ts";

/** Adds `/api`, `/health` and the page for people to `app`. Everything under `/api` wants an admin token. */
export async function mountApi(app: FastifyInstance, hub: Hub, options: ApiOptions): Promise<void> {
  const context: ApiContext = { hub, options, startedAt: options.clock() };
  const logins = new Logins(options.clock);
  const bodyLimit = hub.settings.limits.maxMessageBytes;

  healthRoute(app, context);
  oauthCallbackRoute(app, context);
  await app.register(async (pages) => pageRoutes(pages, context, logins));

  await app.register(
    async (api) => {
      api.setValidatorCompiler(compileSchema);
      api.setSchemaErrorFormatter(explainMismatch);
      api.setErrorHandler((error, request, reply) => answerFailure(error, request, reply, options.log));
      api.setNotFoundHandler(answerUnknownRoute);
      api.addHook("onRoute", (route) => {
        route.bodyLimit ??= bodyLimit;
      });
      api.addHook("onRequest", requireAdmin(hub.identity, options.adminToken));
      for (const routes of ROUTES) routes(api, context);
      loginRoutes(api, context, logins);
    },
    { prefix: "/api" },
  );
}

const ROUTES = [
  statusRoute,
  agentRoutes,
  tokenRoutes,
  toolboxRoutes,
  serverRoutes,
  serverAuthRoutes,
  importRoutes,
  toolRoutes,
  callRoutes,
  taskRoutes,
  questionRoutes,
  notificationRoutes,
  configRoutes,
  trustRoutes,
];
