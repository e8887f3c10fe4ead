import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Hub } from "../../hub.ts";
import type { Caller } from "../../tool.ts";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { CallList, CallRequest, ToolOutcome } from "../contract.ts";
import { whileConnected } from "../disconnect.ts";
import { exactly, nameText } from "../schema.ts";
import { callerOf, callView } from "../views.ts";

const call = exactly({ name: nameText, arguments: {}, agent: nameText, conversation: nameText }, ["name"]);
const filter = exactly({
  limit: { type: "integer", minimum: 1, maximum: 1_000 },
  agent: nameText,
  tool: nameText,
});

export function callRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  app.post<{ Body: CallRequest }>(
    "/call",
    {
      schema: {
        summary: "Calls a tool as an agent or, where none is named, as the operator",
        body: call,
        response: gives("ToolOutcome"),
      },
    },
    ({ body }, reply): Promise<ToolOutcome> => {
      const caller = callerFor(hub, body);
      return whileConnected(reply, (signal) =>
        hub.callTool({ name: body.name, arguments: body.arguments ?? {}, caller, via: "api", signal }),
      );
    },
  );

  app.get<{ Querystring: { limit?: number; agent?: string; tool?: string } }>(
    "/calls",
    {
      schema: {
        summary: "Lists the audit, newest first",
        querystring: filter,
        response: gives("CallList"),
      },
    },
    async ({ query: { limit = 100, agent, tool } }): Promise<CallList> => {
      const calls = await hub.store.calls.list({
        limit,
        ...(agent === undefined ? {} : { agentId: hub.identity.agent(agent).id }),
        ...(tool === undefined ? {} : { tool }),
      });
      return { calls: calls.map((record) => callView(hub, record)) };
    },
  );
}

function callerFor(hub: Hub, { agent, conversation = randomUUID() }: CallRequest): Caller {
  return agent === undefined
    ? hub.identity.operator(conversation)
    : callerOf(hub, hub.identity.agent(agent), conversation);
}
