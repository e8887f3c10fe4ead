import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";

export function configRoutes(app: FastifyInstance, { options }: ApiContext): void {
  app.get("/config", () => options.config());

  app.post("/backup", async (_request, reply) => {
    reply.header("cache-control", "no-store");
    return options.backup();
  });
}
