import type { FastifyInstance } from "fastify";
import { csrfToken } from "../../../../call/identity/sessions.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { LoginLink, NewLoginLink, SessionAnswer, SessionsEnded } from "../../contract.ts";
import { noSessionCookie } from "../../pages/session-cookie.ts";
import { exactly, nameText } from "../../schema.ts";

/** Whoever asks, as themselves; and the links by which people come in. */
export function sessionRoutes(app: FastifyInstance, { hub, options, admins }: ApiContext): void {
  const { people } = hub;

  app.get(
    "/session",
    {
      schema: {
        summary: "Says who asks, and what changes want as X-Toolkeep",
        response: gives("SessionAnswer"),
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
        response: gives("SessionsEnded"),
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

  app.post<{ Body: NewLoginLink | null }>(
    "/login-links",
    {
      schema: {
        summary: "Makes a link by which a person signs in, good once; without a name for whoever asks",
        body: { ...exactly({ person: nameText }), type: ["object", "null"] },
        response: gives("LoginLink", 201),
      },
    },
    async (request, reply): Promise<LoginLink> => {
      const { session: own } = admins.admitted(request);
      const named = request.body?.person;
      const person = named === undefined ? (own?.person ?? people.owner) : people.person(named);
      const { code, expiresAt } = await people.sessions.newCode(person);
      reply.code(201).header("cache-control", "no-store");
      return { url: `${options.url()}/login?code=${code}`, person: person.name, expiresAt };
    },
  );
}
