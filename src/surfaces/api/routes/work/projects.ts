import type { FastifyInstance } from "fastify";
import { LONGEST } from "../../../../features/projects/limits.ts";
import type { ProjectRecord } from "../../../../machine/db/tables/work/project-record.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Done, ProjectAnswer, ProjectEdit, ProjectInput, ProjectList } from "../../contract.ts";
import * as schema from "../../schema.ts";

const status = { enum: ["active", "archived"] };
const fields = {
  name: schema.filledText(LONGEST.name),
  description: { type: "string", maxLength: LONGEST.description },
};

interface ByName {
  Params: { name: string };
}

/** A project is named by its key, its id or its name. */
export function projectRoutes(app: FastifyInstance, { hub: { projects } }: ApiContext): void {
  app.get<{ Querystring: schema.PageQuery & { status?: ProjectRecord["status"] } }>(
    "/projects",
    {
      schema: {
        summary: "Lists the projects, by key",
        querystring: schema.exactly({ status, ...schema.pageQuery }),
        response: gives("ProjectList"),
      },
    },
    async ({ query: { status: wanted, ...page } }): Promise<ProjectList> => {
      const { items, total } = await projects.list({
        ...schema.pageOf(page),
        ...(wanted && { status: wanted }),
      });
      return { projects: items, total };
    },
  );

  app.post<{ Body: ProjectInput }>(
    "/projects",
    {
      schema: {
        summary: "Creates a project",
        body: schema.exactly({ ...fields, key: schema.nameText }, ["name"]),
        response: gives("ProjectAnswer", 201),
      },
    },
    async ({ body }, reply): Promise<ProjectAnswer> => {
      reply.code(201);
      return { project: await projects.create(body, null) };
    },
  );

  app.get<ByName>(
    "/projects/:name",
    { schema: { summary: "Shows a project", params: schema.byName, response: gives("ProjectAnswer") } },
    async ({ params }): Promise<ProjectAnswer> => ({ project: await projects.get(params.name) }),
  );

  app.patch<ByName & { Body: ProjectEdit }>(
    "/projects/:name",
    {
      schema: {
        summary: "Changes a project, archives it or makes it active again",
        params: schema.byName,
        body: schema.exactly({ ...fields, status, revision: schema.revision }),
        response: gives("ProjectAnswer"),
      },
    },
    async ({ params, body: { revision: seen, ...change } }): Promise<ProjectAnswer> => ({
      project: await projects.update(params.name, change, seen),
    }),
  );

  app.delete<ByName & { Querystring: { force?: boolean } }>(
    "/projects/:name",
    {
      schema: {
        summary: "Deletes a project with everything in it; one that is active and not empty only by force",
        params: schema.byName,
        querystring: schema.exactly({ force: { type: "boolean" } }),
        response: gives("Done"),
      },
    },
    async ({ params, query: { force = false } }): Promise<Done> => {
      await projects.delete(params.name, { force });
      return { done: true };
    },
  );
}
