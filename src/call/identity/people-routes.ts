import { DONE, defineRoute, done, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import { pick } from "../../contract/shape.ts";
import type { PersonRecord, PersonView } from "./contract.ts";
import * as shapes from "./contract.ts";
import { OWNER, type People } from "./people.ts";

/** Who uses `/api` and the dashboard, and with which browsers. */
export function peopleRoutes({ people }: { readonly people: People }): readonly Route[] {
  const { sessions } = people;
  const view = (person: PersonRecord): PersonView =>
    pick(shapes.personView, {
      ...person,
      owner: person.id === OWNER,
      sessions: sessions.list(person.id).length,
    });
  return [
    defineRoute({
      method: "GET",
      path: "/people",
      summary: "Lists the people",
      answer: shapes.personList,
      handle: async () => ({ people: people.list().map(view) }),
    }),
    defineRoute({
      method: "POST",
      path: "/people",
      summary: "Adds a person; a login link lets them in",
      body: shapes.newPerson,
      answer: shapes.personAnswer,
      status: 201,
      handle: async ({ body: { name, role } }) => ({ person: view(await people.add(name, role)) }),
    }),
    defineRoute({
      method: "PATCH",
      path: "/people/:name",
      summary: "Changes a person's name or role, or lets them in nowhere; counts at once",
      body: shapes.personInput,
      answer: shapes.personAnswer,
      handle: async ({ params, body }) => ({ person: view(await people.edit(params.name, body)) }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/people/:name",
      summary: "Removes a person with their sessions",
      answer: done,
      async handle({ params }) {
        await people.remove(params.name);
        return DONE;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/people/:name/sessions",
      role: "admin",
      summary: "Lists the browsers that a person is signed in with",
      answer: shapes.sessionList,
      handle: async ({ params, by }) => ({
        sessions: sessions
          .list(people.person(params.name).id)
          .map((session) => pick(shapes.sessionView, { ...session, current: session.id === by.sessionId })),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/people/:name/sessions",
      summary: "Signs a person out everywhere",
      answer: shapes.sessionsEnded,
      handle: async ({ params }) => ({ ended: await sessions.endAllOf(people.person(params.name).id) }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/people/:name/sessions/:id",
      summary: "Ends one session of a person",
      answer: done,
      async handle({ params: { name, id } }) {
        const { id: personId } = people.person(name);
        if (!sessions.list(personId).some((session) => session.id === id))
          throw new ToolkeepError("NOT_FOUND", `${name} has no session ${JSON.stringify(id.slice(0, 100))}`, {
            remedy: `toolkeep person sessions ${name} shows those there are.`,
          });
        await sessions.end(id);
        return DONE;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/login-links",
      summary: "Makes a link by which a person signs in, good once; without a name for whoever asks",
      body: shapes.newLoginLink.nullable(),
      answer: shapes.loginLink,
      status: 201,
      noStore: true,
      async handle({ body, by, baseUrl }) {
        const signedIn = by.sessionId === undefined ? undefined : people.personById(by.id);
        const person = body?.person === undefined ? (signedIn ?? people.owner) : people.person(body.person);
        const { code, expiresAt } = await sessions.newCode(person);
        return { url: `${baseUrl}/login?code=${code}`, person: person.name, expiresAt };
      },
    }),
  ];
}
