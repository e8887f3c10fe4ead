import type { Events } from "../../contract/events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { ServerRecord, Store } from "../../machine/db/store.ts";
import type { ServerView } from "../views.ts";

export interface ApprovalNoticesDeps {
  readonly store: Pick<Store, "notifications">;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

type Waiting = Pick<ServerRecord, "id" | "name">;

/** Tells people which servers wait for their approval; a notification stays until somebody has decided. */
export class ApprovalNotices {
  readonly #deps: ApprovalNoticesDeps;

  constructor(deps: ApprovalNoticesDeps) {
    this.#deps = deps;
  }

  async ask({ id: serverId, name }: Waiting, why: string): Promise<void> {
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

  /** For a start: the process may have ended before it asked, and an older Toolkeep let people dismiss the notification. */
  async askAgain(servers: readonly ServerRecord[]): Promise<void> {
    for (const server of servers) {
      if (server.origin !== "stored" || server.status !== "pending_approval") continue;
      if ((await this.#open(server)).length > 0) continue;
      const { addedBy } = server;
      await this.ask(server, addedBy === null ? "An agent changed it." : `The agent ${addedBy} added it.`);
    }
  }

  async end(server: Waiting): Promise<void> {
    const { store, events, clock } = this.#deps;
    for (const { id } of await this.#open(server)) {
      await store.notifications.dismiss(id, clock());
      events.emit("notification.dismissed", { id });
    }
  }

  #open({ id }: Waiting) {
    return this.#deps.store.notifications.list({ idPrefix: notificationPrefix(id) });
  }
}

/** The server that a notification asks people to decide about, as long as nobody has. */
export function awaitedServer(
  notificationId: string,
  servers: readonly ServerView[],
): ServerView | undefined {
  return servers.find(
    ({ id, state }) => state === "pending_approval" && notificationId.startsWith(notificationPrefix(id)),
  );
}

/** A server may have to be approved more than once, each time with a notification of its own. */
function notificationPrefix(serverId: string): string {
  return `ntf_approve_${serverId}`;
}
