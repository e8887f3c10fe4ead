import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import { gives } from "../components.ts";
import { type Health, health } from "./contract.ts";

/** Needs no token. The process is alive when it answers; `ready` says whether it can work. */
export function healthRoute(app: FastifyInstance, context: ApiContext): void {
  const querystring = { type: "object", properties: { ready: { type: "string" } } };
  app.get<{ Querystring: { ready?: string } }>(
    "/health",
    {
      schema: {
        summary: "Says that the process is alive; with ?ready 503 while the store cannot be written",
        querystring,
        response: { ...gives(health), ...gives(health, 503) },
      },
    },
    async ({ query }, reply): Promise<Health> => {
      const current = await currentHealth(context);
      if (query.ready !== undefined && !current.ready) reply.code(503);
      return current;
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
