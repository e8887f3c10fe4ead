import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type {
  Done,
  NewPlugin,
  PluginAgreement,
  PluginAnswer,
  PluginList,
  PluginView,
} from "../../contract.ts";
import { whileConnected } from "../../disconnect.ts";
import { byName, exactly, filledText, nameText } from "../../schema.ts";

const input = {
  kind: { enum: ["folder", "link", "npm"] },
  spec: filledText(4_096),
  name: nameText,
};
const agreement = { sha256: { type: "string", pattern: "^[0-9a-f]{64}$" }, trusted: { type: "boolean" } };

interface ByName {
  Params: { name: string };
}

export function pluginRoutes(app: FastifyInstance, { hub: { plugins } }: ApiContext): void {
  const answer = (plugin: PluginView): PluginAnswer => ({ plugin, log: plugins.log(plugin.name) });

  app.get(
    "/plugins",
    { schema: { summary: "Lists the plugins", response: gives("PluginList") } },
    async (): Promise<PluginList> => ({ plugins: await plugins.list() }),
  );

  app.get<ByName>(
    "/plugins/:name",
    {
      schema: {
        summary: "Shows a plugin and what it may do",
        params: byName,
        response: gives("PluginAnswer"),
      },
    },
    async ({ params }) => answer(await plugins.get(params.name)),
  );

  app.post<{ Body: NewPlugin }>(
    "/plugins",
    {
      schema: {
        summary: "Fetches a plugin from a folder or from npm; it stays disabled",
        body: exactly(input, ["kind", "spec"]),
        response: gives("PluginAnswer", 201),
      },
    },
    async ({ body: { kind, spec, name } }, reply) => {
      const added = await whileConnected(reply, (signal) =>
        plugins.add({ kind, spec }, { signal, ...(name !== undefined && { name }) }),
      );
      reply.code(201);
      return answer(added);
    },
  );

  app.post<ByName & { Body: PluginAgreement }>(
    "/plugins/:name/enable",
    {
      schema: {
        summary: "Agrees to what a plugin declares, for exactly these files, and lets its tools be called",
        params: byName,
        body: exactly(agreement, ["sha256"]),
        response: gives("PluginAnswer"),
      },
    },
    async ({ params, body }) => answer(await plugins.enable(params.name, body)),
  );

  app.post<ByName>(
    "/plugins/:name/disable",
    {
      schema: {
        summary: "Takes a plugin out without forgetting it",
        params: byName,
        response: gives("PluginAnswer"),
      },
    },
    async ({ params }) => answer(await plugins.disable(params.name)),
  );

  app.post<ByName>(
    "/plugins/:name/update",
    {
      schema: {
        summary: "Fetches a plugin anew; where that brings anything else, it is disabled",
        params: byName,
        response: gives("PluginAnswer"),
      },
    },
    ({ params }, reply) =>
      whileConnected(reply, async (signal) => answer(await plugins.update(params.name, { signal }))),
  );

  app.delete<ByName>(
    "/plugins/:name",
    { schema: { summary: "Removes a plugin and its files", params: byName, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await plugins.remove(params.name);
      return { done: true };
    },
  );
}
