import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Health } from "../../contract.ts";

/** Wants no token. The process is alive when it answers; whether it can work is told beside it. */
export function healthRoute(app: FastifyInstance, context: ApiContext): void {
  const querystring = { type: "object", properties: { ready: { type: "string" } } };
  app.get<{ Querystring: { ready?: string } }>(
    "/health",
    {
      schema: {
        summary: "Says that the process is alive; with ?ready 503 while the store cannot be written",
        querystring,
        response: { ...gives("Health"), ...gives("Health", 503) },
      },
    },
    async ({ query }, reply): Promise<Health> => {
      const health = await currentHealth(context);
      if (query.ready !== undefined && !health.ready) reply.code(503);
      return health;
    },
  );
}

export async function currentHealth({ options, startedAt, storeCheck }: ApiContext): Promise<Health> {
  return {
    status: "ok",
    ready: await storeCheck.isReady(),
    version: options.version,
    uptime_ms: options.clock() - startedAt,
  };
}
