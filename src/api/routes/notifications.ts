import type { FastifyInstance } from "fastify";
import { gives } from "../answers/components.ts";
import type { ApiContext } from "../api-options.ts";
import type { Done, NotificationList } from "../contract.ts";
import { byId, exactly } from "../schema.ts";
import { notificationView } from "../views.ts";

export function notificationRoutes(app: FastifyInstance, { hub, options }: ApiContext): void {
  app.get<{ Querystring: { dismissed?: boolean } }>(
    "/notifications",
    {
      schema: {
        summary: "Lists what people should know",
        querystring: exactly({ dismissed: { type: "boolean" } }),
        response: gives("NotificationList"),
      },
    },
    async ({ query: { dismissed = false } }): Promise<NotificationList> => {
      const notifications = await hub.store.notifications.list({ dismissed });
      return { notifications: notifications.map((notification) => notificationView(hub, notification)) };
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
      await hub.store.notifications.dismiss(params.id, options.clock());
      hub.events.emit("notification.dismissed", { id: params.id });
      return { done: true };
    },
  );
}
