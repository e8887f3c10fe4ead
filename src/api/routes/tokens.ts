import type { FastifyInstance } from "fastify";
import type { ApiContext } from "../api-options.ts";
import type { Done, NewToken, TokenAnswer, TokenList } from "../contract.ts";
import { byId, exactly, nameList, nameText, shortText } from "../schema.ts";
import { tokenView } from "../views.ts";

const TEN_YEARS_MS = 10 * 365 * 86_400_000;
const newToken = exactly({
  agent: nameText,
  label: shortText,
  scopes: nameList,
  expiresInMs: { type: "integer", minimum: 1_000, maximum: TEN_YEARS_MS },
});

export function tokenRoutes(app: FastifyInstance, { hub }: ApiContext): void {
  app.get(
    "/tokens",
    (): TokenList => ({ tokens: hub.identity.tokens().map((token) => tokenView(hub, token)) }),
  );

  app.post<{ Body: NewToken }>(
    "/tokens",
    { schema: { body: newToken } },
    async ({ body }, reply): Promise<TokenAnswer> => {
      const { token, record } = await hub.identity.createToken(body);
      reply.code(201).header("cache-control", "no-store");
      return { token, record: tokenView(hub, record) };
    },
  );

  app.delete<{ Params: { id: string } }>(
    "/tokens/:id",
    { schema: { params: byId } },
    async ({ params }): Promise<Done> => {
      await hub.identity.deleteToken(params.id);
      return { done: true };
    },
  );
}
