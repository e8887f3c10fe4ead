import type { FastifyInstance } from "fastify";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { findAwaitedServer } from "../../../../servers/lifecycle/approval-notices.ts";
import { gives } from "../../answers/components.ts";
import type { ApiContext } from "../../api-options.ts";
import type { Done, NotificationList } from "../../contract.ts";
import { type NewestQuery, newestBefore, newestQuery, nextBefore } from "../../newest-page.ts";
import { byId, exactly } from "../../schema.ts";
import { notificationView } from "../../views.ts";

export function notificationRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  app.get<{ Querystring: NewestQuery & { dismissed?: boolean; state?: "open" | "dismissed" } }>(
    "/notifications",
    {
      schema: {
        summary: "Lists what people should know, oldest first; the newest of it, and by cursor what is older",
        querystring: exactly({
          dismissed: { type: "boolean" },
          state: { enum: ["open", "dismissed"] },
          ...newestQuery,
        }),
        response: gives("NotificationList"),
      },
    },
    async ({ query }): Promise<NotificationList> => {
      const page = newestBefore(query);
      const dismissed = query.state === "dismissed" ? "only" : query.state !== "open" && query.dismissed;
      const found = await hub.store.notifications.list({ dismissed, ...page });
      return {
        notifications: found.map((notification) => notificationView(hub, notification)),
        next: nextBefore(found, page.limit),
      };
    },
  );

  app.post<{ Params: { id: string } }>(
    "/notifications/:id/dismiss",
    {
      schema: {
        role: "operator",
        summary: "Dismisses a notification",
        params: byId,
        response: gives("Done"),
      },
    },
    async ({ params }): Promise<Done> => {
      const awaited = findAwaitedServer(params.id, hub.upstream.servers());
      if (awaited) throw undecided(awaited.name);
      await hub.store.notifications.dismiss(params.id, options.clock());
      hub.events.emit("notification.dismissed", { id: params.id });
      return { done: true };
    },
  );
}

/** What waits for a decision must not be put out of sight without one. */
function undecided(server: string): ToolkeepError {
  return new ToolkeepError(
    "IN_USE",
    `the notification stays until somebody decides about the MCP server ${server}`,
    {
      remedy: `Decide: toolkeep server approve ${server}, or toolkeep server remove ${server}.`,
    },
  );
}
