import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";

export function configRoutes(app: FastifyInstance, { options }: ApiContext): void {
  app.get(
    "/config",
    {
      schema: {
        summary: "Shows the settings in force and where they come from",
        response: gives("ConfigAnswer"),
      },
    },
    () => options.config(),
  );

  app.post(
    "/backup",
    { schema: { summary: "Gives everything that a fresh home needs", response: gives("Backup") } },
    async (_request, reply) => {
      reply.header("cache-control", "no-store");
      return options.backup();
    },
  );
}
