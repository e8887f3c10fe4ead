import type { FastifyInstance, FastifyRequest } from "fastify";
import { OWNER } from "../../../../call/identity/people.ts";
import { ROLES } from "../../../../contract/caller.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { PersonRecord } from "../../../../machine/db/tables/identity/person-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  NewPerson,
  PersonAnswer,
  PersonInput,
  PersonList,
  PersonView,
  SessionList,
  SessionsEnded,
} from "../../contract.ts";
import { byName, exactly, nameText } from "../../schema.ts";

const role = { enum: ROLES };
const bySession = exactly({ name: nameText, id: nameText }, ["name", "id"]);

interface ByName {
  Params: { name: string };
}

/** Who uses `/api` and the pages, and with which browsers. */
export function peopleRoutes(app: FastifyInstance, { hub: { people }, admins }: ApiContext): void {
  const { sessions } = people;
  const view = ({ id, ...person }: PersonRecord): PersonView => ({
    id,
    ...person,
    owner: id === OWNER,
    sessions: sessions.list(id).length,
  });
  const ownSession = (request: FastifyRequest) => admins.admitted(request).session?.session.id;

  app.get(
    "/people",
    { schema: { summary: "Lists the people", response: gives("PersonList") } },
    (): PersonList => ({ people: people.list().map(view) }),
  );

  app.post<{ Body: NewPerson }>(
    "/people",
    {
      schema: {
        summary: "Adds a person; a login link lets them in",
        body: exactly({ name: nameText, role }, ["name", "role"]),
        response: gives("PersonAnswer", 201),
      },
    },
    async ({ body }, reply): Promise<PersonAnswer> => {
      reply.code(201);
      return { person: view(await people.add(body.name, body.role)) };
    },
  );

  app.patch<ByName & { Body: PersonInput }>(
    "/people/:name",
    {
      schema: {
        summary: "Changes a person's name or role, or lets them in nowhere; counts at once",
        params: byName,
        body: exactly({ name: nameText, role, disabled: { type: "boolean" } }),
        response: gives("PersonAnswer"),
      },
    },
    async ({ params, body }): Promise<PersonAnswer> => ({
      person: view(await people.edit(params.name, body)),
    }),
  );

  app.delete<ByName>(
    "/people/:name",
    {
      schema: { summary: "Removes a person with their sessions", params: byName, response: gives("Done") },
    },
    async ({ params }): Promise<Done> => {
      await people.remove(params.name);
      return { done: true };
    },
  );

  app.get<ByName>(
    "/people/:name/sessions",
    {
      schema: {
        role: "admin",
        summary: "Lists the browsers that a person is signed in with",
        params: byName,
        response: gives("SessionList"),
      },
    },
    (request): SessionList => {
      const own = ownSession(request);
      return {
        sessions: sessions
          .list(people.person(request.params.name).id)
          .map(({ hash: _hash, personId: _personId, ...session }) => ({
            ...session,
            current: session.id === own,
          })),
      };
    },
  );

  app.delete<ByName>(
    "/people/:name/sessions",
    {
      schema: {
        summary: "Signs a person out everywhere",
        params: byName,
        response: gives("SessionsEnded"),
      },
    },
    async ({ params }): Promise<SessionsEnded> => ({
      ended: await sessions.endAllOf(people.person(params.name).id),
    }),
  );

  app.delete<{ Params: { name: string; id: string } }>(
    "/people/:name/sessions/:id",
    { schema: { summary: "Ends one session of a person", params: bySession, response: gives("Done") } },
    async ({ params: { name, id } }): Promise<Done> => {
      const { id: personId } = people.person(name);
      if (!sessions.list(personId).some((session) => session.id === id))
        throw new ToolkeepError("NOT_FOUND", `${name} has no session ${JSON.stringify(id.slice(0, 100))}`, {
          remedy: `toolkeep person sessions ${name} shows those there are.`,
        });
      await sessions.end(id);
      return { done: true };
    },
  );
}
