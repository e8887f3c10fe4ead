import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Route } from "../../contract/define-route.ts";
import { inputSchema } from "../../contract/shape.ts";
import { ref } from "./answers/shape.ts";
import { exactly, nameText } from "./schema.ts";

/** Adds the routes of features under `/api`. */
export function addFeatureRoutes(app: FastifyInstance, routes: readonly Route[]): void {
  for (const { method, path, summary, role, query, body, answer, status = 200, handle } of routes) {
    const params = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    app.route({
      method,
      url: path,
      schema: {
        summary,
        ...(role && { role }),
        ...(params.length > 0 && {
          params: exactly(Object.fromEntries(params.map((name) => [name, nameText])), params),
        }),
        ...(query && { querystring: inputSchema(query) }),
        ...(body && { body: inputSchema(body) }),
        response: { [status]: ref(idOf(answer)) },
      },
      async handler(request, reply) {
        reply.code(status);
        return handle(request as Parameters<Route["handle"]>[0]);
      },
    });
  }
}

function idOf(answer: z.ZodObject): string {
  const id = z.globalRegistry.get(answer)?.id;
  if (id === undefined) throw new Error("the answer of a route needs an id: .meta({ id })");
  return id;
}
