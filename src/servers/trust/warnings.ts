import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ServerTables } from "../tables/server-tables.ts";

export interface WarningDeps {
  readonly store: Pick<ServerTables, "notifications">;
  readonly events: Events;
  readonly clock: Clock;
}

/** Raises a warning that comes from Toolkeep, not from an agent. */
export async function raiseWarning(
  { store, events, clock }: WarningDeps,
  id: string,
  title: string,
  body: string,
): Promise<void> {
  await store.notifications.create({
    ...{ id, agentId: null, level: "warning", title, body },
    ...{ createdAt: clock(), dismissedAt: null },
  });
  events.emit("notification.raised", { id, title });
}

/** Dismisses every open warning whose id starts with `idPrefix`. */
export async function endWarnings({ store, events, clock }: WarningDeps, idPrefix: string): Promise<void> {
  for (const { id } of await store.notifications.list({ idPrefix })) {
    await store.notifications.dismiss(id, clock());
    events.emit("notification.dismissed", { id });
  }
}
