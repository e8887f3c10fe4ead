import type { Vault } from "../../call/vault/vault.ts";
import { messageOf } from "../../contract/errors.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { Log } from "../../lib/log.ts";
import { endWarnings, raiseWarning, type WarningDeps } from "../trust/warnings.ts";
import type { SignInTarget } from "./sign-in.ts";

export interface SignInNoticesDeps extends WarningDeps {
  readonly vault: Pick<Vault, "redact">;
  readonly log: Log;
}

const MAX_REASON_CHARS = 300;

/** Notifies people of servers that need a sign-in: one notification per server until it is done. Never rejects. */
export class SignInNotices {
  readonly #deps: SignInNoticesDeps;
  readonly #serial = createSerial();

  constructor(deps: SignInNoticesDeps) {
    this.#deps = deps;
  }

  /** `reason` may quote the server. */
  async raise({ id: serverId, name, config }: SignInTarget, reason: string): Promise<void> {
    if (serverId === null) return;
    const { store, clock } = this.#deps;
    await this.#runSerially(serverId, async () => {
      if ((await store.notifications.list({ idPrefix: notificationPrefix(serverId) })).length > 0) return;
      const id = `${notificationPrefix(serverId)}${clock().toString(36)}`;
      const isClientCredentials = config.oauth?.grant === "client_credentials";
      const title = isClientCredentials
        ? `MCP server ${name} does not let Toolkeep in`
        : `MCP server ${name} needs you to sign in`;
      const why = this.#formatReason(reason);
      const body = isClientCredentials ? `${why}.` : `${why}. Run: toolkeep server auth ${name}`;
      await raiseWarning(this.#deps, id, title, body);
    });
  }

  async dismiss({ id: serverId }: Pick<SignInTarget, "id">): Promise<void> {
    if (serverId === null) return;
    await this.#runSerially(serverId, () => endWarnings(this.#deps, notificationPrefix(serverId)));
  }

  /** Redacts before cutting, because half a secret would not be recognised. */
  #formatReason(reason: string): string {
    const line = this.#deps.vault.redact(reason).replace(/\p{Cc}+/gu, " ");
    return line.length <= MAX_REASON_CHARS ? line : `${line.slice(0, MAX_REASON_CHARS)}…`;
  }

  async #runSerially(serverId: string, work: () => Promise<void>): Promise<void> {
    await this.#serial(serverId, work).catch((error: unknown) => {
      this.#deps.log.warn({ cause: messageOf(error) }, "servers: a sign-in notification could not be stored");
    });
  }
}

function notificationPrefix(serverId: string): string {
  return `ntf_auth_${serverId}_`;
}
