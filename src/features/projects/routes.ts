import { z } from "zod";
import { DONE, defineRoute, done, pageOf, pageQuery, type Route } from "../../contract/define-route.ts";
import { optional } from "../../contract/shape.ts";
import * as shapes from "./contract.ts";
import { LONGEST } from "./contract.ts";
import type { Projects } from "./projects.ts";
import { statusesOf } from "./tickets.ts";

/** In the place of an agent's name. */
const NOBODY = "nobody";
const name = z.string().min(1).max(200);
const words = z.string().max(LONGEST.query);

/** A project is named by its key, its id or its name; a ticket as TK-12 or by its id. What is created here, a person creates. */
export function projectRoutes(projects: Projects): readonly Route[] {
  return [...ofProjects(projects), ...ofNotes(projects), ...ofTickets(projects), ...ofComments(projects)];
}

function ofProjects(projects: Projects): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/projects",
      summary: "Lists the projects, by key",
      query: z.object({ ...optional({ status: shapes.projectStatus }), ...pageQuery }),
      answer: shapes.projectList,
      async handle({ query: { status, ...page } }) {
        const { items, total } = await projects.list({ ...pageOf(page), ...(status && { status }) });
        return { projects: items, total };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/projects",
      summary: "Creates a project",
      body: shapes.newProject,
      answer: shapes.projectAnswer,
      status: 201,
      handle: async ({ body }) => ({ project: await projects.create(body, null) }),
    }),
    defineRoute({
      method: "GET",
      path: "/projects/:name",
      summary: "Shows a project",
      answer: shapes.projectAnswer,
      handle: async ({ params }) => ({ project: await projects.get(params.name) }),
    }),
    defineRoute({
      method: "PATCH",
      path: "/projects/:name",
      summary: "Changes a project, archives it or makes it active again",
      body: shapes.projectEdit,
      answer: shapes.projectAnswer,
      handle: async ({ params, body: { revision, ...change } }) => ({
        project: await projects.update(params.name, change, revision),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/projects/:name",
      summary: "Deletes a project with everything in it; one that is active and not empty only by force",
      query: z.object(optional({ force: z.boolean() })),
      answer: done,
      async handle({ params, query: { force = false } }) {
        await projects.delete(params.name, { force });
        return DONE;
      },
    }),
  ];
}

function ofNotes({ notes }: Projects): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/projects/:name/notes",
      summary: "Lists the notes of a project, newest first; with a text those that it finds, best first",
      query: z.object({ ...optional({ text: words, tag: name }), ...pageQuery }),
      answer: shapes.noteList,
      async handle({ params, query: { limit, offset, ...sought } }) {
        const { items, total } = await notes.search(params.name, sought, pageOf({ limit, offset }));
        return { notes: items, total };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/projects/:name/notes",
      role: "operator",
      summary: "Adds a note to a project",
      body: shapes.newNote,
      answer: shapes.noteAnswer,
      status: 201,
      handle: async ({ params, body }) => ({ note: await notes.create(params.name, body, null) }),
    }),
    defineRoute({
      method: "PATCH",
      path: "/projects/:name/notes/:id",
      role: "operator",
      summary: "Changes a note",
      body: shapes.noteEdit,
      answer: shapes.noteAnswer,
      handle: async ({ params, body: { revision, ...change } }) => ({
        note: await notes.update(params.name, params.id, change, revision),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/projects/:name/notes/:id",
      summary: "Deletes a note",
      answer: done,
      async handle({ params }) {
        await notes.delete(params.name, params.id);
        return DONE;
      },
    }),
  ];
}

function ofTickets({ tickets }: Projects): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/tickets",
      summary: "Lists tickets, newest first",
      query: z.object({
        ...optional({
          project: name,
          status: shapes.ticketFilter,
          priority: shapes.ticketPriority,
          assignee: name.describe(`The name of an agent, or ${NOBODY}.`),
          label: z.string().min(1).max(LONGEST.label),
          text: words.describe("Words that all occur in title or description."),
        }),
        ...pageQuery,
      }),
      answer: shapes.ticketList,
      async handle({ query: { status = "any", assignee, limit, offset, ...filter } }) {
        const { items, total } = await tickets.list({
          ...filter,
          ...statusesOf(status),
          ...(assignee !== undefined && { assignee: assignee === NOBODY ? null : assignee }),
          ...pageOf({ limit, offset }),
        });
        return { tickets: items, total };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/tickets",
      role: "operator",
      summary: "Creates a ticket in a project",
      body: shapes.newTicketIn,
      answer: shapes.ticketAnswer,
      status: 201,
      handle: async ({ body: { project, ...input } }) => ({
        ticket: await tickets.create(project, input, null),
      }),
    }),
    defineRoute({
      method: "GET",
      path: "/tickets/:name",
      summary: "Shows a ticket",
      answer: shapes.ticketAnswer,
      handle: async ({ params }) => ({ ticket: await tickets.get(params.name) }),
    }),
    defineRoute({
      method: "PATCH",
      path: "/tickets/:name",
      role: "operator",
      summary: "Changes a ticket",
      body: shapes.ticketEdit,
      answer: shapes.ticketAnswer,
      handle: async ({ params, body: { revision, ...change } }) => ({
        ticket: await tickets.update(params.name, change, revision),
      }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/tickets/:name",
      summary: "Deletes a ticket with its comments",
      answer: done,
      async handle({ params }) {
        await tickets.delete(params.name);
        return DONE;
      },
    }),
  ];
}

function ofComments({ tickets }: Projects): readonly Route[] {
  return [
    defineRoute({
      method: "GET",
      path: "/tickets/:name/comments",
      summary: "Lists the comments of a ticket, oldest first",
      query: z.object(pageQuery),
      answer: shapes.commentList,
      async handle({ params, query }) {
        const { items, total } = await tickets.comments(params.name, pageOf(query));
        return { comments: items, total };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/tickets/:name/comments",
      role: "operator",
      summary: "Comments on a ticket",
      body: z.object({ text: z.string().min(1).max(LONGEST.comment) }),
      answer: shapes.commentAnswer,
      status: 201,
      handle: async ({ params, body }) => ({ comment: await tickets.comment(params.name, body.text, null) }),
    }),
    defineRoute({
      method: "DELETE",
      path: "/tickets/:name/comments/:id",
      summary: "Deletes a comment",
      answer: done,
      async handle({ params }) {
        await tickets.deleteComment(params.name, params.id);
        return DONE;
      },
    }),
  ];
}
