import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type { Done, NewToolbox, ToolboxAnswer, ToolboxInput, ToolboxList } from "../contract.ts";
import { byName, exactly, longText, nameList, nameText } from "../schema.ts";

const input = { description: longText, tools: nameList };

interface ByName {
  Params: { name: string };
}

export function toolboxRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  const { toolboxes } = hub.catalog;

  app.get("/toolboxes", (): ToolboxList => ({ toolboxes: toolboxes.list() }));

  app.get<ByName>("/toolboxes/:name", { schema: { params: byName } }, ({ params }): ToolboxAnswer => {
    return { toolbox: toolboxes.get(params.name) };
  });

  app.post<{ Body: NewToolbox }>(
    "/toolboxes",
    { schema: { body: exactly({ ...input, name: nameText }, ["name", "tools"]) } },
    async ({ body: { name, ...rest } }, reply): Promise<ToolboxAnswer> => {
      reply.code(201);
      return { toolbox: await toolboxes.create(name, rest) };
    },
  );

  app.patch<ByName & { Body: ToolboxInput }>(
    "/toolboxes/:name",
    { schema: { params: byName, body: exactly(input) } },
    async ({ params, body }): Promise<ToolboxAnswer> => ({
      toolbox: await toolboxes.update(params.name, body),
    }),
  );

  app.delete<ByName>(
    "/toolboxes/:name",
    { schema: { params: byName } },
    async ({ params }): Promise<Done> => {
      await toolboxes.delete(params.name);
      return { done: true };
    },
  );
}
