import type { FastifyInstance } from "fastify";
import * as shapes from "../../../../call/identity/contract.ts";
import { csrfToken } from "../../../../call/identity/sessions.ts";
import type { ApiContext } from "../../api-options.ts";
import { gives } from "../../components.ts";
import type { SessionAnswer, SessionsEnded } from "../../contract.ts";
import { noSessionCookie } from "../../pages/session-cookie.ts";
import { exactly } from "../../schema.ts";

/** Says who asks, and signs out: these know the secret of the session, and its cookie. */
export function sessionRoutes(app: FastifyInstance, { hub, options, admins }: ApiContext): void {
  const { people } = hub;

  app.get(
    "/session",
    {
      schema: {
        summary: "Says who asks, and what changes want as X-Toolkeep",
        response: gives(shapes.sessionAnswer),
      },
    },
    (request, reply): SessionAnswer => {
      const { actor, role, session } = admins.admitted(request);
      reply.header("cache-control", "no-store");
      return {
        ...actor,
        role,
        csrfToken: session ? csrfToken(session.secret) : null,
        expiresAt: session?.session.expiresAt ?? null,
      };
    },
  );

  app.delete<{ Querystring: { everywhere?: boolean } }>(
    "/session",
    {
      schema: {
        role: "viewer",
        summary: "Signs out: ends the session that asks, or all of its person",
        querystring: exactly({ everywhere: { type: "boolean" } }),
        response: gives(shapes.sessionsEnded),
      },
    },
    async (request, reply): Promise<SessionsEnded> => {
      const { session: own } = admins.admitted(request);
      if (!own) return { ended: 0 };
      reply.header("set-cookie", noSessionCookie(options.url()));
      if (request.query.everywhere) return { ended: await people.sessions.endAllOf(own.person.id) };
      await people.sessions.end(own.session.id);
      return { ended: 1 };
    },
  );
}
