import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import { type DescribedRoute, openApi } from "../openapi.ts";

/** This API, described. Made when somebody asks: what is mounted after the API is in it too. */
export function openApiRoute(
  app: FastifyInstance,
  { options }: ApiContext,
  routes: readonly DescribedRoute[],
): void {
  const response = { 200: { type: "object", description: "An OpenAPI 3.1 document." } };
  app.get("/openapi.json", { schema: { summary: "Describes this API", response } }, () =>
    openApi(routes, { version: options.version, url: options.url() }),
  );
}
