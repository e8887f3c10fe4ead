import { defineTable } from "../../contract/define-table.ts";
import type { Database } from "../../machine/db/database.ts";
import { Records } from "../../machine/db/query/records.ts";
import { type TrustEntry, trustedFile } from "./contract.ts";

export const trustedFiles = defineTable({
  name: "trust",
  noun: "trusted file",
  record: trustedFile,
  key: ["path"],
});

/** Project files that a person has read and trusts, by content. */
export class TrustedFiles {
  readonly #records: Records<typeof trustedFiles>;

  constructor(database: Database) {
    this.#records = new Records(database, trustedFiles);
  }

  async has(path: string, sha256: string): Promise<boolean> {
    return (await this.#records.find({ path, sha256 })) !== undefined;
  }

  list(): Promise<TrustEntry[]> {
    return this.#records.list(["path"]);
  }

  /** A path has one hash: a new one replaces the old. */
  put(path: string, sha256: string, at: number): Promise<void> {
    return this.#records.put({ path, sha256, at });
  }

  /** Throws NOT_FOUND. */
  delete(path: string): Promise<void> {
    return this.#records.delete({ path });
  }
}
