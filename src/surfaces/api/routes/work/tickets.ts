import type { FastifyInstance } from "fastify";
import { LONGEST, MAX_LABELS } from "../../../../features/projects/limits.ts";
import { statusesOf, TICKET_FILTERS } from "../../../../features/projects/tickets.ts";
import {
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPriority,
} from "../../../../machine/db/tables/work/project-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  NewTicket,
  TicketAnswer,
  TicketEdit,
  TicketList,
  TicketStatusFilter,
} from "../../contract.ts";
import * as schema from "../../schema.ts";

/** In the place of an agent's name. */
const NOBODY = "nobody";

const label = schema.filledText(LONGEST.label);
const fields = {
  title: schema.filledText(LONGEST.title),
  description: { type: "string", maxLength: LONGEST.description },
  status: { enum: TICKET_STATUSES },
  priority: { enum: TICKET_PRIORITIES },
  assignee: { ...schema.nameText, type: ["string", "null"] },
  labels: { type: "array", maxItems: MAX_LABELS, items: label },
};
const filters = {
  project: schema.nameText,
  status: { enum: TICKET_FILTERS },
  priority: { enum: TICKET_PRIORITIES },
  assignee: { ...schema.nameText, description: `The name of an agent, or ${NOBODY}.` },
  label,
  text: {
    type: "string",
    maxLength: LONGEST.query,
    description: "Words that all occur in title or description.",
  },
};

interface Filters extends schema.PageQuery {
  project?: string;
  status?: TicketStatusFilter;
  priority?: TicketPriority;
  assignee?: string;
  label?: string;
  text?: string;
}
interface ByName {
  Params: { name: string };
}

/** A ticket is named as TK-12 or by its id. */
export function ticketRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { tickets } = hub.projects;

  app.get<{ Querystring: Filters }>(
    "/tickets",
    {
      schema: {
        summary: "Lists tickets, newest first",
        querystring: schema.exactly({ ...filters, ...schema.pageQuery }),
        response: gives("TicketList"),
      },
    },
    async ({ query: { status = "any", assignee, limit, offset, ...filter } }): Promise<TicketList> => {
      const { items, total } = await tickets.list({
        ...filter,
        ...statusesOf(status),
        ...(assignee !== undefined && { assignee: assignee === NOBODY ? null : assignee }),
        ...schema.pageOf({ limit, offset }),
      });
      return { tickets: items, total };
    },
  );

  app.post<{ Body: NewTicket }>(
    "/tickets",
    {
      schema: {
        role: "operator",
        summary: "Creates a ticket in a project",
        body: schema.exactly({ project: schema.nameText, ...fields }, ["project", "title"]),
        response: gives("TicketAnswer", 201),
      },
    },
    async ({ body: { project, ...input } }, reply): Promise<TicketAnswer> => {
      reply.code(201);
      return { ticket: await tickets.create(project, input, null) };
    },
  );

  app.get<ByName>(
    "/tickets/:name",
    { schema: { summary: "Shows a ticket", params: schema.byName, response: gives("TicketAnswer") } },
    async ({ params }): Promise<TicketAnswer> => ({ ticket: await tickets.get(params.name) }),
  );

  app.patch<ByName & { Body: TicketEdit }>(
    "/tickets/:name",
    {
      schema: {
        role: "operator",
        summary: "Changes a ticket",
        params: schema.byName,
        body: schema.exactly({ ...fields, revision: schema.revision }),
        response: gives("TicketAnswer"),
      },
    },
    async ({ params, body: { revision: seen, ...change } }): Promise<TicketAnswer> => ({
      ticket: await tickets.update(params.name, change, seen),
    }),
  );

  app.delete<ByName>(
    "/tickets/:name",
    {
      schema: {
        summary: "Deletes a ticket with its comments",
        params: schema.byName,
        response: gives("Done"),
      },
    },
    async ({ params }): Promise<Done> => {
      await tickets.delete(params.name);
      return { done: true };
    },
  );
}
