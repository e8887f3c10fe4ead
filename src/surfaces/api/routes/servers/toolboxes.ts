import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import type { Hub } from "../../../../hub.ts";
import { nearest } from "../../../../lib/nearest.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  NewToolbox,
  ToolboxAnswer,
  ToolboxChangeInput,
  ToolboxList,
  ToolboxTools,
} from "../../contract.ts";
import { byName, exactly, longText, nameList, nameText } from "../../schema.ts";
import { toolboxContents } from "../../tools/access-preview.ts";

const input = { description: longText, tools: nameList, allowUnknown: { type: "boolean" } };

const MOST_NAMED = 10;

interface ByName {
  Params: { name: string };
}

export function toolboxRoutes(app: FastifyInstance, { hub, costs }: ApiContext): void {
  const { toolboxes } = hub.catalog;

  app.get(
    "/toolboxes",
    { schema: { summary: "Lists the toolboxes", response: gives("ToolboxList") } },
    (): ToolboxList => ({ toolboxes: toolboxes.list() }),
  );

  app.get<ByName>(
    "/toolboxes/:name",
    { schema: { summary: "Shows a toolbox", params: byName, response: gives("ToolboxAnswer") } },
    ({ params }): ToolboxAnswer => ({ toolbox: toolboxes.get(params.name) }),
  );

  app.get<ByName>(
    "/toolboxes/:name/tools",
    {
      schema: {
        summary: "Shows what a toolbox gives, through which of its entries, and what that costs",
        params: byName,
        response: gives("ToolboxTools"),
      },
    },
    async ({ params }): Promise<ToolboxTools> => {
      const { name, tools } = toolboxes.get(params.name);
      return { toolbox: name, ...(await toolboxContents(hub, costs, tools)) };
    },
  );

  app.post<{ Body: NewToolbox }>(
    "/toolboxes",
    {
      schema: {
        summary: "Creates a toolbox",
        body: exactly({ ...input, name: nameText }, ["name", "tools"]),
        response: gives("ToolboxAnswer", 201),
      },
    },
    async ({ body: { name, allowUnknown, ...rest } }, reply): Promise<ToolboxAnswer> => {
      if (allowUnknown === false) mustBeKnown(hub, rest.tools);
      reply.code(201);
      return { toolbox: await toolboxes.create(name, rest) };
    },
  );

  app.patch<ByName & { Body: ToolboxChangeInput }>(
    "/toolboxes/:name",
    {
      schema: {
        summary: "Changes a toolbox",
        params: byName,
        body: exactly({ ...input, since: { type: "integer", minimum: 0 } }),
        response: gives("ToolboxAnswer"),
      },
    },
    async ({ params, body: { since, allowUnknown, ...change } }): Promise<ToolboxAnswer> => {
      const before = toolboxes.get(params.name).tools;
      const added = (change.tools ?? []).filter((tool) => !before.includes(tool));
      if (allowUnknown === false) mustBeKnown(hub, added);
      return { toolbox: await toolboxes.update(params.name, change, since) };
    },
  );

  app.delete<ByName>(
    "/toolboxes/:name",
    { schema: { summary: "Deletes a toolbox", params: byName, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await toolboxes.delete(params.name);
      return { done: true };
    },
  );
}

/** Throws NOT_FOUND with the nearest name. A pattern may come to nothing yet: its server may be added later. */
function mustBeKnown({ catalog }: Hub, tools: readonly string[]): void {
  const unknown = tools.filter(
    (tool) => tool !== "*" && !tool.includes(":") && catalog.get(tool) === undefined,
  );
  if (unknown.length === 0) return;
  const names = catalog.all().map(({ name }) => name);
  const described = unknown.slice(0, MOST_NAMED).map((tool) => {
    const guess = nearest(tool, names);
    return `${tool}${guess === undefined ? "" : ` (did you mean ${guess}?)`}`;
  });
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : "";
  throw new ToolkeepError("NOT_FOUND", `no tool is named ${described.join(", ")}${more}`, {
    remedy: "toolkeep tool list shows the names; --allow-unknown keeps them for a tool that comes later.",
  });
}
