import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { AccessChange, AccessPreview } from "../../contract.ts";
import { exactly, nameList, nameText } from "../../schema.ts";
import { previewAccess } from "../../tools/access-preview.ts";
import { agentInput } from "./agents.ts";

const agent = exactly({ ...agentInput, name: nameText, parent: nameText, scout: { type: "boolean" } }, [
  "name",
]);
const toolbox = exactly(
  { name: nameText, tools: { ...nameList, type: ["array", "null"], maxItems: 5_000 } },
  ["name", "tools"],
);

/** What would be, before anybody decides it. */
export function accessRoutes(app: FastifyInstance, { hub, costs }: ApiContext): void {
  app.post<{ Body: AccessChange }>(
    "/access/preview",
    {
      schema: {
        role: "viewer",
        summary: "Shows what a change of an agent or toolbox would give and take, and what it would cost",
        body: exactly({ agent, toolbox }),
        response: gives("AccessPreview"),
      },
    },
    ({ body }): Promise<AccessPreview> => previewAccess(hub, costs, body),
  );
}
