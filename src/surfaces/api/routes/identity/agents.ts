import type { FastifyInstance } from "fastify";
import type { AgentRecord } from "../../../../machine/db/store.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { AgentAnswer, AgentChangeInput, AgentList, AgentTools, Done, NewAgent } from "../../contract.ts";
import { byName, exactly, filledText, longText, nameList, nameText } from "../../schema.ts";
import { agentTools } from "../../tools/agent-tools.ts";
import { agentView } from "../../views.ts";

const folder = exactly({ path: filledText(4_096), access: { enum: ["read", "write"] } }, ["path", "access"]);
export const agentInput = {
  description: longText,
  toolboxes: nameList,
  grants: nameList,
  folders: { type: "array", maxItems: 100, items: folder },
  pins: { ...nameList, maxItems: 100 },
  model: { type: ["string", "null"], minLength: 1, maxLength: 200 },
  headless: { type: "boolean" },
  localModel: { type: "boolean" },
  coordinator: { type: "boolean" },
};

interface ByName {
  Params: { name: string };
}

export function agentRoutes(app: FastifyInstance, { hub, costs }: ApiContext): void {
  const answer = (agent: AgentRecord): AgentAnswer => ({
    agent: agentView(hub, agent),
    ...hub.catalog.unresolvedGrants(agent),
  });

  app.get(
    "/agents",
    { schema: { summary: "Lists the agents", response: gives("AgentList") } },
    (): AgentList => ({ agents: hub.identity.agents().map((agent) => agentView(hub, agent)) }),
  );

  app.get<ByName>(
    "/agents/:name",
    { schema: { summary: "Shows an agent", params: byName, response: gives("AgentAnswer") } },
    (request) => answer(hub.identity.agent(request.params.name)),
  );

  app.post<{ Body: NewAgent }>(
    "/agents",
    {
      schema: {
        summary: "Creates an agent; with a parent a sub-agent or scout",
        body: exactly({ ...agentInput, name: nameText, parent: nameText, scout: { type: "boolean" } }, [
          "name",
        ]),
        response: gives("AgentAnswer", 201),
      },
    },
    async ({ body: { name, ...rest } }, reply) => {
      reply.code(201);
      return answer(await hub.identity.createAgent(name, rest));
    },
  );

  app.patch<ByName & { Body: AgentChangeInput }>(
    "/agents/:name",
    {
      schema: {
        summary: "Changes an agent; what is given replaces what was",
        params: byName,
        body: exactly({ ...agentInput, since: { type: "integer", minimum: 0 } }),
        response: gives("AgentAnswer"),
      },
    },
    async ({ params, body: { since, ...input } }) =>
      answer(await hub.identity.updateAgent(params.name, input, since)),
  );

  app.delete<ByName>(
    "/agents/:name",
    { schema: { summary: "Deletes an agent with its tokens", params: byName, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await hub.identity.deleteAgent(params.name);
      return { done: true };
    },
  );

  app.get<ByName>(
    "/agents/:name/tools",
    {
      schema: {
        summary: "Shows what an agent sees, and where each grant comes from",
        params: byName,
        response: gives("AgentTools"),
      },
    },
    ({ params }): Promise<AgentTools> => agentTools(hub, costs, hub.identity.agent(params.name)),
  );
}
