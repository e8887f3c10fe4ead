import type { FastifyInstance } from "fastify";
import { checkFeatures } from "../../../../features/open-features.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { CheckList } from "../../contract.ts";

/** What features say about themselves, for `toolkeep doctor`. */
export function checkRoute(app: FastifyInstance, { hub }: ApiContext): void {
  app.get(
    "/checks",
    { schema: { summary: "Runs the checks of every feature", response: gives("CheckList") } },
    async (): Promise<CheckList> => ({ checks: await checkFeatures(hub.features) }),
  );
}
