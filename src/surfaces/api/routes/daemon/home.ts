import type { FastifyInstance } from "fastify";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Home } from "../../contract.ts";
import { PromptTokens } from "../../tools/prompt-tokens.ts";

export function homeRoute(app: FastifyInstance, { hub, calls }: ApiContext): void {
  const tokens = new PromptTokens();

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
        minutes: calls.minutes(),
        latencies: calls.latencies(),
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
