import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { ServerView } from "../contract.ts";
import type { ServerRecord } from "../records.ts";
import type { ServerTables } from "../tables/server-tables.ts";

export interface ApprovalNoticesDeps {
  readonly store: Pick<ServerTables, "notifications">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

type PendingServer = Pick<ServerRecord, "id" | "name">;

/** Notifies people of servers that await approval; a notification stays until somebody has decided. */
export class ApprovalNotices {
  readonly #deps: ApprovalNoticesDeps;

  constructor(deps: ApprovalNoticesDeps) {
    this.#deps = deps;
  }

  async ask({ id: serverId, name }: PendingServer, why: string): Promise<void> {
    const { store, events, clock, newId } = this.#deps;
    const id = newId(notificationPrefix(serverId));
    const title = `MCP server ${name} waits for approval`;
    await store.notifications.create({
      id,
      agentId: null,
      level: "warning",
      title,
      body: `${why} Nothing of it runs until you decide. Look at it with toolkeep server show ${name}, then toolkeep server approve ${name} or toolkeep server remove ${name}.`,
      createdAt: clock(),
      dismissedAt: null,
    });
    events.emit("notification.raised", { id, title });
  }

  /** Runs at start: the process may have died before it asked, and older versions let people dismiss the notification. */
  async askAgain(servers: readonly ServerRecord[]): Promise<void> {
    for (const server of servers) {
      if (server.origin !== "stored" || server.status !== "pending_approval") continue;
      if ((await this.#listOpen(server)).length > 0) continue;
      const { addedBy } = server;
      await this.ask(server, addedBy === null ? "An agent changed it." : `The agent ${addedBy} added it.`);
    }
  }

  async end(server: PendingServer): Promise<void> {
    const { store, events, clock } = this.#deps;
    for (const { id } of await this.#listOpen(server)) {
      await store.notifications.dismiss(id, clock());
      events.emit("notification.dismissed", { id });
    }
  }

  #listOpen({ id }: PendingServer) {
    return this.#deps.store.notifications.list({ idPrefix: notificationPrefix(id) });
  }
}

/** The server that a notification asks people to decide about; undefined once somebody has decided. */
export function findAwaitedServer(
  notificationId: string,
  servers: readonly ServerView[],
): ServerView | undefined {
  return servers.find(
    ({ id, state }) => state === "pending_approval" && notificationId.startsWith(notificationPrefix(id)),
  );
}

/** A prefix, because a server may need approval more than once and each time gets its own notification. */
function notificationPrefix(serverId: string): string {
  return `ntf_approve_${serverId}`;
}
