import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Status } from "../../contract.ts";

export function statusRoute(app: FastifyInstance, context: ApiContext): void {
  app.get("/status", { schema: { summary: "Counts what is here", response: gives("Status") } }, () =>
    currentStatus(context),
  );
}

export async function currentStatus({ hub, options, startedAt }: ApiContext): Promise<Status> {
  const [questions, notifications] = await Promise.all([
    hub.questions.list({ state: "pending" }),
    hub.store.notifications.list(),
  ]);
  return {
    version: options.version,
    uptimeMs: options.clock() - startedAt,
    home: hub.settings.home,
    url: options.url(),
    store: hub.store.dialect,
    servers: countServers(hub.upstream.servers()),
    agents: hub.identity.agents().length,
    tools: hub.catalog.all().length,
    pendingQuestions: questions.length,
    notifications: notifications.length,
  };
}

function countServers(
  servers: readonly { readonly state: keyof Omit<Status["servers"], "total"> }[],
): Status["servers"] {
  const counts: Partial<Record<keyof Status["servers"], number>> = {};
  for (const { state } of servers) counts[state] = (counts[state] ?? 0) + 1;
  return { ...counts, total: servers.length };
}
