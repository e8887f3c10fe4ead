import type { FastifyInstance } from "fastify";
import { LONGEST } from "../../../../features/projects/limits.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { CommentAnswer, CommentList, Done } from "../../contract.ts";
import { byName, exactly, filledText, nameText, type PageQuery, pageOf, pageQuery } from "../../schema.ts";

interface OfTicket {
  Params: { name: string };
}

export function ticketCommentRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { tickets } = hub.projects;

  app.get<OfTicket & { Querystring: PageQuery }>(
    "/tickets/:name/comments",
    {
      schema: {
        summary: "Lists the comments of a ticket, oldest first",
        params: byName,
        querystring: exactly(pageQuery),
        response: gives("CommentList"),
      },
    },
    async ({ params, query }): Promise<CommentList> => {
      const { items, total } = await tickets.comments(params.name, pageOf(query));
      return { comments: items, total };
    },
  );

  app.post<OfTicket & { Body: { text: string } }>(
    "/tickets/:name/comments",
    {
      schema: {
        role: "operator",
        summary: "Comments on a ticket",
        params: byName,
        body: exactly({ text: filledText(LONGEST.comment) }, ["text"]),
        response: gives("CommentAnswer", 201),
      },
    },
    async ({ params, body }, reply): Promise<CommentAnswer> => {
      reply.code(201);
      return { comment: await tickets.comment(params.name, body.text, null) };
    },
  );

  app.delete<{ Params: { name: string; id: string } }>(
    "/tickets/:name/comments/:id",
    {
      schema: {
        summary: "Deletes a comment",
        params: exactly({ name: nameText, id: nameText }, ["name", "id"]),
        response: gives("Done"),
      },
    },
    async ({ params }): Promise<Done> => {
      await tickets.deleteComment(params.name, params.id);
      return { done: true };
    },
  );
}
