import { messageOf } from "../../errors.ts";
import type { Events } from "../../events.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { createSerial } from "../../lib/serial.ts";
import type { Store } from "../../store/store.ts";
import type { SignInTarget } from "./sign-in-target.ts";

export interface SignInNoticesDeps {
  readonly store: Pick<Store, "notifications">;
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tells people which servers wait for them to sign in; one notification a server, until it is done. Never rejects. */
export class SignInNotices {
  readonly #deps: SignInNoticesDeps;
  readonly #serial = createSerial();

  constructor(deps: SignInNoticesDeps) {
    this.#deps = deps;
  }

  async raise({ id: serverId, name, config }: SignInTarget, reason: string): Promise<void> {
    if (serverId === null) return;
    const { store, events, clock } = this.#deps;
    await this.#inTurn(serverId, async () => {
      if ((await this.#open(serverId)).length > 0) return;
      const id = `${prefix(serverId)}${clock().toString(36)}`;
      const isOurs = config.oauth?.grant === "client_credentials";
      const title = isOurs
        ? `MCP server ${name} does not let Toolkeep in`
        : `MCP server ${name} needs you to sign in`;
      const body = isOurs
        ? `It says: ${reason}.`
        : `Sign in with: toolkeep server auth ${name}. The reason: ${reason}.`;
      await store.notifications.create({
        id,
        agentId: null,
        level: "warning",
        title,
        body,
        createdAt: clock(),
        dismissedAt: null,
      });
      events.emit("notification.raised", { id, title });
    });
  }

  async dismiss({ id: serverId }: Pick<SignInTarget, "id">): Promise<void> {
    if (serverId === null) return;
    await this.#inTurn(serverId, async () => {
      const { store, clock } = this.#deps;
      for (const id of await this.#open(serverId)) await store.notifications.dismiss(id, clock());
    });
  }

  async #inTurn(serverId: string, work: () => Promise<void>): Promise<void> {
    await this.#serial(serverId, work).catch((error: unknown) => {
      this.#deps.log.warn({ cause: messageOf(error) }, "a notification about signing in was not stored");
    });
  }

  async #open(serverId: string): Promise<string[]> {
    const open = await this.#deps.store.notifications.list();
    return open.map(({ id }) => id).filter((id) => id.startsWith(prefix(serverId)));
  }
}

function prefix(serverId: string): string {
  return `ntf_auth_${serverId}_`;
}
