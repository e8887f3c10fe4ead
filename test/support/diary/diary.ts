import { ToolkeepError } from "../../../src/contract/errors.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { NewId } from "../../../src/lib/id.ts";
import type { Settings } from "../../../src/machine/config/settings.ts";
import type { Database } from "../../../src/machine/db/database.ts";
import { Records } from "../../../src/machine/db/query/records.ts";
import { sealedPurpose } from "../../../src/machine/db/store-part.ts";
import type { EntryRecord, EntryView } from "./contract.ts";
import { entries } from "./tables.ts";

export interface DiaryNeeds {
  readonly database: Database;
  readonly settings: () => Pick<Settings, "features">;
  readonly seal: (plain: string, purpose: string) => Uint8Array;
  readonly unseal: (sealed: Uint8Array, purpose: string) => string;
  readonly clock: Clock;
  readonly newId: NewId;
}

export class Diary {
  readonly #needs: DiaryNeeds;
  readonly #entries: Records<typeof entries>;

  constructor(needs: DiaryNeeds) {
    this.#needs = needs;
    this.#entries = new Records(needs.database, entries);
  }

  get most(): number {
    return this.#needs.settings().features["diary.max_entries"] as number;
  }

  async list(): Promise<EntryView[]> {
    const { items } = await this.#entries.page({}, ["day", "id"], { limit: 500, offset: 0 });
    return items.map((entry) => this.#view(entry));
  }

  async add(day: string, text: string): Promise<EntryView> {
    const id = this.#needs.newId("day");
    const sealed = this.#needs.seal(text, sealedPurpose(entries, "text", id));
    const entry = { id, day, text: sealed, createdAt: this.#needs.clock() };
    if (await this.#entries.insert(entry, { most: this.most })) return this.#view(entry);
    throw new ToolkeepError("TOO_MANY", `the diary has ${this.most} entries, which is the most`);
  }

  #view({ id, day, text }: EntryRecord): EntryView {
    return { id, day, text: this.#needs.unseal(text, sealedPurpose(entries, "text", id)) };
  }
}
