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

/** Tells people which servers wait for them to sign in; one notification a server, until it is done. Never rejects. */
export class SignInNotices {
  readonly #deps: SignInNoticesDeps;
  readonly #serial = createSerial();

  constructor(deps: SignInNoticesDeps) {
    this.#deps = deps;
  }

  /** `reason` may hold words of the server. */
  async raise({ id: serverId, name, config }: SignInTarget, reason: string): Promise<void> {
    if (serverId === null) return;
    const { store, clock } = this.#deps;
    await this.#inTurn(serverId, async () => {
      if ((await store.notifications.list({ idPrefix: prefix(serverId) })).length > 0) return;
      const id = `${prefix(serverId)}${clock().toString(36)}`;
      const isOurs = config.oauth?.grant === "client_credentials";
      const title = isOurs
        ? `MCP server ${name} does not let Toolkeep in`
        : `MCP server ${name} needs you to sign in`;
      const why = this.#redacted(reason);
      const body = isOurs ? `${why}.` : `${why}. Run: toolkeep server auth ${name}`;
      await raiseWarning(this.#deps, id, title, body);
    });
  }

  async dismiss({ id: serverId }: Pick<SignInTarget, "id">): Promise<void> {
    if (serverId === null) return;
    await this.#inTurn(serverId, () => endWarnings(this.#deps, prefix(serverId)));
  }

  /** Redacted before it is cut: half a secret would not be known as one. */
  #redacted(reason: string): string {
    const line = this.#deps.vault.redact(reason).replace(/\p{Cc}+/gu, " ");
    return line.length <= MAX_REASON_CHARS ? line : `${line.slice(0, MAX_REASON_CHARS)}…`;
  }

  async #inTurn(serverId: string, work: () => Promise<void>): Promise<void> {
    await this.#serial(serverId, work).catch((error: unknown) => {
      this.#deps.log.warn({ cause: messageOf(error) }, "a notification about signing in was not stored");
    });
  }
}

function prefix(serverId: string): string {
  return `ntf_auth_${serverId}_`;
}
