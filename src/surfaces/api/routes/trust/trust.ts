import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Done, NewTrust, TrustList } from "../../contract.ts";
import { exactly, filledText } from "../../schema.ts";

const file = filledText(4_096);
const newTrust = exactly({ path: file, sha256: { type: "string", pattern: "^[0-9a-f]{64}$" } }, [
  "path",
  "sha256",
]);

export function trustRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  app.get(
    "/trust",
    { schema: { summary: "Lists the project files that are trusted", response: gives("TrustList") } },
    async (): Promise<TrustList> => ({ trusted: await hub.store.trust.list() }),
  );

  app.post<{ Body: NewTrust }>(
    "/trust",
    { schema: { summary: "Trusts a project file as it is", body: newTrust, response: gives("Done") } },
    async ({ body }): Promise<Done> => {
      await hub.store.trust.put(body.path, body.sha256, options.clock());
      await options.reloadSettings();
      return { done: true };
    },
  );

  app.delete<{ Querystring: { path: string } }>(
    "/trust",
    {
      schema: {
        summary: "Trusts a project file no longer",
        querystring: exactly({ path: file }, ["path"]),
        response: gives("Done"),
      },
    },
    async ({ query }): Promise<Done> => {
      await hub.store.trust.delete(query.path);
      await options.reloadSettings();
      return { done: true };
    },
  );
}
