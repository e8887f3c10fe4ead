import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type { Health } from "../contract.ts";

export function healthRoute(app: FastifyInstance, { options, startedAt }: ApiContext): void {
  app.get("/health", (): Health => {
    return { status: "ok", version: options.version, uptime_ms: options.clock() - startedAt };
  });
}
