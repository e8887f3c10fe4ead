import type { FastifyInstance } from "fastify";
import { isOfAnyCall } from "../../../../call/rules/labels.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { LabelList, LabelsCleared } from "../../contract.ts";
import { exactly, nameText } from "../../schema.ts";

const MAX_LISTED = 1_000;

/** What conversations have come in touch with, and a person's word that it no longer counts. */
export function labelRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  app.get<{ Querystring: { agent?: string } }>(
    "/labels",
    {
      schema: {
        summary: "Lists the conversations that have labels, newest first",
        querystring: exactly({ agent: nameText }),
        response: gives("LabelList"),
      },
    },
    ({ query: { agent } }): LabelList => {
      const only = agent === undefined ? undefined : hub.identity.agent(agent).id;
      const all = hub.watchdog
        .labelledConversations()
        .filter(({ agentId }) => only === undefined || agentId === only);
      return {
        labelled: all.slice(0, MAX_LISTED).map(({ agentId, conversation, labels, labelledAt }) => ({
          agent: hub.identity.agentById(agentId)?.name ?? agentId,
          conversation: isOfAnyCall(conversation) ? null : conversation,
          labels,
          labelledAt,
        })),
        more: all.length > MAX_LISTED,
      };
    },
  );

  app.delete<{ Querystring: { agent: string; conversation?: string } }>(
    "/labels",
    {
      schema: {
        role: "operator",
        summary: "Clears the labels of one conversation of an agent, or of all of them",
        querystring: exactly({ agent: nameText, conversation: nameText }, ["agent"]),
        response: gives("LabelsCleared"),
      },
    },
    async ({ query: { agent, conversation } }): Promise<LabelsCleared> => {
      const { id } = hub.identity.agent(agent);
      return { cleared: await hub.watchdog.clearLabels(id, conversation) };
    },
  );
}
