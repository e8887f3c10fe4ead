import type { FastifyInstance } from "fastify";
import { ROLES } from "../../../../contract/caller.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Done, NewToken, TokenAnswer, TokenList } from "../../contract.ts";
import { byId, exactly, nameList, nameText, shortText } from "../../schema.ts";
import { tokenView } from "../../views.ts";

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const newToken = exactly({
  agent: nameText,
  label: shortText,
  scopes: nameList,
  role: { enum: ROLES },
  expiresInMs: { type: "integer", minimum: 1_000, maximum: TEN_YEARS_MS },
  requestsPerMinute: { type: "integer", minimum: 1, maximum: 10_000_000 },
  interactive: { type: "boolean" },
});

export function tokenRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  app.get(
    "/tokens",
    { schema: { summary: "Lists the tokens, without values", response: gives("TokenList") } },
    async (): Promise<TokenList> => {
      const consents = await hub.store.consents.list();
      return { tokens: hub.identity.tokens().map((token) => tokenView(hub, token, consents)) };
    },
  );

  app.post<{ Body: NewToken }>(
    "/tokens",
    {
      schema: {
        summary: "Makes a token of an agent or, where none is named, an admin token",
        body: newToken,
        response: gives("TokenAnswer", 201),
      },
    },
    async ({ body }, reply): Promise<TokenAnswer> => {
      const { token, record } = await hub.identity.createToken(body);
      reply.code(201).header("cache-control", "no-store");
      return { token, record: tokenView(hub, record) };
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/tokens/:id",
    { schema: { summary: "Revokes a token", params: byId, response: gives("Done") } },
    async ({ params }): Promise<Done> => {
      await hub.identity.deleteToken(params.id);
      return { done: true };
    },
  );
}
