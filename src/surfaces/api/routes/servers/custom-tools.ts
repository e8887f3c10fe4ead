import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { OPERATOR } from "../../../../call/identity/identity.ts";
import { LANGUAGES } from "../../../../features/custom-tools/templates.ts";
import { actingOf } from "../../admins.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  CustomToolAnswer,
  CustomToolApproval,
  CustomToolList,
  CustomToolRemoved,
  CustomToolTrial,
  NewCustomTool,
  ToolOutcome,
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName, exactly, nameText } from "../../schema.ts";

interface ByName {
  Params: { name: string };
}

const sha256 = { type: "string", pattern: "^[0-9a-f]{64}$" };

/** Tools are named by slug or by `custom_<slug>`. */
export function customToolRoutes(app: FastifyInstance, { hub, admins }: ApiContext): void {
  const { custom } = hub;

  app.get(
    "/custom-tools",
    { schema: { summary: "Lists the custom tools, enabled or not", response: gives("CustomToolList") } },
    async (): Promise<CustomToolList> => {
      await custom.refresh();
      return { tools: custom.list(), problems: custom.problems() };
    },
  );

  app.get<ByName>(
    "/custom-tools/:name",
    {
      schema: {
        summary: "Shows a custom tool and what it asks for",
        params: byName,
        response: gives("CustomToolAnswer"),
      },
    },
    async ({ params }): Promise<CustomToolAnswer> => {
      await custom.refresh();
      return { tool: custom.get(params.name) };
    },
  );

  app.post<{ Body: NewCustomTool }>(
    "/custom-tools",
    {
      schema: {
        summary: "Writes a new custom tool that works, to be changed; it is not enabled",
        body: exactly({ name: nameText, language: { enum: LANGUAGES } }, ["name"]),
        response: gives("CustomToolAnswer", 201),
      },
    },
    async ({ body: { name, language = "sh" } }, reply): Promise<CustomToolAnswer> => {
      const tool = await custom.create(name, language);
      reply.code(201);
      return { tool };
    },
  );

  app.post<ByName & { Body: CustomToolApproval }>(
    "/custom-tools/:name/enable",
    {
      schema: {
        summary: "Enables a custom tool with exactly the content that was shown",
        params: byName,
        body: exactly({ sha256 }, ["sha256"]),
        response: gives("CustomToolAnswer"),
      },
    },
    async ({ params, body }): Promise<CustomToolAnswer> => ({
      tool: await custom.enable(params.name, { sha256: body.sha256, by: OPERATOR }),
    }),
  );

  app.post<ByName>(
    "/custom-tools/:name/disable",
    {
      schema: { summary: "Disables a custom tool", params: byName, response: gives("CustomToolAnswer") },
    },
    async ({ params }): Promise<CustomToolAnswer> => ({ tool: await custom.disable(params.name) }),
  );

  app.post<ByName & { Body: CustomToolTrial }>(
    "/custom-tools/:name/try",
    {
      schema: {
        summary: "Runs a custom tool as it is now, enabled or not, as the operator",
        params: byName,
        body: exactly({ arguments: {} }),
        response: gives("ToolOutcome"),
      },
    },
    (request, reply): Promise<ToolOutcome> => {
      const { name } = request.params;
      const { body } = request;
      const caller = hub.identity.operatorCaller(randomUUID(), actingOf(admins.admitted(request)));
      return whileConnected(reply, (signal) =>
        hub.tryCustomTool({ name, arguments: body.arguments ?? {}, caller, via: "api", signal }),
      );
    },
  );

  app.delete<ByName>(
    "/custom-tools/:name",
    {
      schema: {
        summary: "Disables a custom tool and puts its folder aside",
        params: byName,
        response: gives("CustomToolRemoved"),
      },
    },
    async ({ params }): Promise<CustomToolRemoved> => ({
      done: true,
      folder: await custom.remove(params.name),
    }),
  );
}
