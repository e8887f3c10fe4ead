import type { FastifyInstance } from "fastify";
import { LONGEST, MAX_LABELS } from "../../../../features/projects/limits.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Done, NoteAnswer, NoteEdit, NoteInput, NoteList } from "../../contract.ts";
import * as schema from "../../schema.ts";

const fields = {
  title: schema.filledText(LONGEST.title),
  body: schema.filledText(LONGEST.note),
  tags: { type: "array", maxItems: MAX_LABELS, items: schema.nameText },
};
const oneNote = schema.exactly({ name: schema.nameText, id: schema.nameText }, ["name", "id"]);

interface OfProject {
  Params: { name: string };
}
interface OneNote {
  Params: { name: string; id: string };
}

/** What is worth knowing about a project. */
export function projectNoteRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { notes } = hub.projects;

  app.get<OfProject & { Querystring: schema.PageQuery & { text?: string; tag?: string } }>(
    "/projects/:name/notes",
    {
      schema: {
        summary: "Lists the notes of a project, newest first; with a text those that it finds, best first",
        params: schema.byName,
        querystring: schema.exactly({
          text: { type: "string", maxLength: LONGEST.query },
          tag: schema.nameText,
          ...schema.pageQuery,
        }),
        response: gives("NoteList"),
      },
    },
    async ({ params, query: { text, tag, ...page } }): Promise<NoteList> => {
      const sought = { ...(text !== undefined && { text }), ...(tag !== undefined && { tag }) };
      const { items, total } = await notes.search(params.name, sought, schema.pageOf(page));
      return { notes: items, total };
    },
  );

  app.post<OfProject & { Body: NoteInput }>(
    "/projects/:name/notes",
    {
      schema: {
        role: "operator",
        summary: "Adds a note to a project",
        params: schema.byName,
        body: schema.exactly(fields, ["title", "body"]),
        response: gives("NoteAnswer", 201),
      },
    },
    async ({ params, body }, reply): Promise<NoteAnswer> => {
      reply.code(201);
      return { note: await notes.create(params.name, body, null) };
    },
  );

  app.patch<OneNote & { Body: NoteEdit }>(
    "/projects/:name/notes/:id",
    {
      schema: {
        role: "operator",
        summary: "Changes a note",
        params: oneNote,
        body: schema.exactly({ ...fields, revision: schema.revision }),
        response: gives("NoteAnswer"),
      },
    },
    async ({ params, body: { revision: seen, ...change } }): Promise<NoteAnswer> => ({
      note: await notes.update(params.name, params.id, change, seen),
    }),
  );

  app.delete<OneNote>(
    "/projects/:name/notes/:id",
    { schema: { summary: "Deletes a note", params: oneNote, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await notes.delete(params.name, params.id);
      return { done: true };
    },
  );
}
