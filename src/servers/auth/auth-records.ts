import type { Vault } from "../../call/vault/vault.ts";
import { messageOf } from "../../contract/errors.ts";
import { createSerial, type Serial } from "../../lib/flow/serial.ts";
import type { Log } from "../../lib/log.ts";
import type { AuthRecord, AuthRecordKeeper, RecordOwner } from "../../machine/oauth-client/auth-record.ts";
import type { ServerRecord } from "../records.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import { signInPurpose } from "../tables/servers.ts";

const MAX_ATTEMPTS = 5;

export interface AuthRecordsDeps {
  readonly store: Pick<ServerTables, "servers">;
  readonly vault: Pick<Vault, "seal" | "unseal" | "conceal">;
  readonly log: Log;
}

/**
 * The sealed sign-in records in the store. Every change starts from what is stored at that moment. The record of an
 * unregistered server is kept in memory only.
 */
export class AuthRecords implements AuthRecordKeeper {
  readonly #deps: AuthRecordsDeps;
  readonly #serial: Serial = createSerial();
  #unregistered: AuthRecord | null = null;

  constructor(deps: AuthRecordsDeps) {
    this.#deps = deps;
  }

  async read(owner: RecordOwner): Promise<AuthRecord> {
    return this.#matchOrBlank(
      owner,
      owner.id === null ? this.#unregistered : this.unseal(await this.#findRow(owner)),
    );
  }

  change(owner: RecordOwner, change: (record: AuthRecord) => AuthRecord | null): Promise<AuthRecord | null> {
    return this.#serial(owner.id ?? "", async () => {
      if (owner.id === null) {
        this.#unregistered = change(await this.read(owner));
        return this.#unregistered;
      }
      for (let attempt = 1; ; attempt++) {
        const row = await this.#findRow(owner);
        const before = this.#matchOrBlank(owner, this.unseal(row));
        const after = change(before);
        if (after === before || (await this.#write(owner.id, row?.auth ?? null, after))) return after;
        // Another process on the same store was faster: start again from what it stored.
        if (attempt === MAX_ATTEMPTS)
          throw new Error("the stored sign-in is being changed by another process");
      }
    });
  }

  #matchOrBlank({ url }: RecordOwner, record: AuthRecord | null | undefined): AuthRecord {
    return record?.url === url ? record : { url };
  }

  /** Unseals the record of a row, whatever address it is for. */
  unseal(row: ServerRecord | undefined): AuthRecord | undefined {
    if (!row?.auth) return undefined;
    try {
      const record = JSON.parse(this.#deps.vault.unseal(row.auth, signInPurpose(row.id))) as AuthRecord;
      for (const secret of listSecrets(record)) this.#deps.vault.conceal(secret, signInPurpose(row.id));
      return record;
    } catch (error) {
      this.#deps.log.error(
        { server: row.name, cause: messageOf(error) },
        "servers: a stored sign-in cannot be read; sign in again",
      );
      return undefined;
    }
  }

  async #findRow({ id, name }: RecordOwner): Promise<ServerRecord | undefined> {
    const row = await this.#deps.store.servers.byName(name);
    if (row?.id === id) return row;
    return (await this.#deps.store.servers.list()).find((other) => other.id === id);
  }

  async #write(id: string, before: Uint8Array | null, record: AuthRecord | null): Promise<boolean> {
    const { store, vault } = this.#deps;
    for (const secret of record ? listSecrets(record) : []) vault.conceal(secret, signInPurpose(id));
    const auth = record && vault.seal(JSON.stringify(record), signInPurpose(id));
    return await store.servers.changeAuth(id, before, auth);
  }
}

function listSecrets({ clients = {}, grant, pending }: AuthRecord): string[] {
  const clientInfos = [
    ...Object.values(clients).map(({ information }) => information),
    grant?.client,
    pending?.client,
  ];
  const secrets = [
    ...clientInfos.map((client) => client?.client_secret),
    grant?.refreshToken,
    pending?.state,
    pending?.verifier,
  ];
  return secrets.filter((secret) => secret !== undefined);
}
