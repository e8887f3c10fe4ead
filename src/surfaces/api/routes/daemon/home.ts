import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import { CallHistory } from "../../audit/call-history.ts";
import type { Home } from "../../contract.ts";
import { PromptTokens } from "../../tools/prompt-tokens.ts";

export function homeRoute(app: FastifyInstance, { hub, options }: ApiContext): void {
  const history = new CallHistory(hub.events, hub.catalog, options.clock);
  const tokens = new PromptTokens();
  app.addHook("onClose", async () => history.close());

  app.get(
    "/home",
    {
      schema: {
        summary: "Says how it goes: the last hour of calls, and what waits",
        response: gives("Home"),
      },
    },
    async (): Promise<Home> => {
      const [asked, notifications] = await Promise.all([
        hub.questions.list({ state: "pending" }),
        hub.store.notifications.list(),
      ]);
      const servers = hub.upstream.servers();
      const approvals = asked.filter(({ kind }) => kind === "approval").length;
      return {
        minutes: history.minutes(),
        latencies: history.latencies(),
        tokens: await tokens.byAgent(hub),
        waiting: {
          approvals,
          questions: asked.length - approvals,
          notifications: notifications.length,
          servers: servers.filter(({ state }) => state === "pending_approval" || state === "needs_auth")
            .length,
          changes: servers.reduce((sum, { waiting }) => sum + waiting, 0),
        },
      };
    },
  );
}
