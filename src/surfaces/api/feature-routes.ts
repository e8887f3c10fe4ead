import type { FastifyInstance, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Deprecation, Route } from "../../contract/define-route.ts";
import type { Admins } from "./admins.ts";
import { gives } from "./components.ts";
import { DerivedSchema } from "./derived-schema.ts";
import { whileConnected } from "./disconnect.ts";
import { exactly, nameText } from "./schema.ts";

/** Adds the routes of features under `/api`. */
export function addFeatureRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  { admins, url }: { readonly admins: Pick<Admins, "admitted">; readonly url: () => string },
): void {
  for (const { method, path, summary, answer, status = 200, handle, ...route } of routes) {
    const { role, deprecated, query, body, noStore } = route;
    app.route({
      method,
      url: path,
      schema: {
        summary,
        ...(role && { role }),
        ...(deprecated && { deprecated: true as const }),
        ...paramsSchema(path, route.params),
        ...(query && { querystring: new DerivedSchema(query) }),
        ...(body && { body: new DerivedSchema(body) }),
        response: gives(answer, status),
      },
      ...(deprecated && {
        onRequest: async (_request, reply) => void reply.headers(deprecationHeaders(deprecated)),
      }),
      handler(request, reply) {
        reply.code(status);
        if (noStore) reply.header("cache-control", "no-store");
        const { actor, role, session } = admins.admitted(request);
        const { params, query, body = null } = request as unknown as Parameters<Route["handle"]>[0];
        const by = { ...actor, role, ...(session && { sessionId: session.session.id }) };
        const from = session ? "dashboard" : isCommandLine(request) ? "cli" : "api";
        const about = { params, query, body, by, from, baseUrl: url() } as const;
        return whileConnected(reply, (signal) => handle({ ...about, signal }));
      },
    });
  }
}

function paramsSchema(path: string, described: z.ZodObject | undefined): { params?: object } {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  if (names.length === 0) return {};
  const named = Object.fromEntries(names.map((name) => [name, nameText]));
  return { params: described ? new DerivedSchema(described) : exactly(named, names) };
}

/** What the command line says of itself. Every client may say it, so it decides nothing. */
function isCommandLine({ headers }: FastifyRequest): boolean {
  return headers["x-toolkeep-from"] === "cli";
}

function deprecationHeaders({ since, successor }: Deprecation): Record<string, string> {
  return { deprecation: `@${since}`, link: `</api${successor}>; rel="successor-version"` };
}
