import { createSerial } from "../../lib/flow/serial.ts";
import { stableJson } from "../../lib/json.ts";
import type { ServerOfferRecord, Store } from "../../machine/db/store.ts";
import type { OfferList } from "./offer-list.ts";

/** Learning and reloading wait for each other: offers read before some were learned must not take their place. */
const OFFERS = "offers";

type OfferStore = Pick<Store["servers"], "offers" | "replaceOffers">;

/** What every server offered last beside its tools, in memory and in the store, so that listing needs no running server. */
export class StoredOffers {
  readonly #store: OfferStore;
  readonly #serial = createSerial();
  #byServer = new Map<string, readonly ServerOfferRecord[]>();

  private constructor(store: OfferStore) {
    this.#store = store;
  }

  static async open({ servers }: { readonly servers: OfferStore }): Promise<StoredOffers> {
    const learned = new StoredOffers(servers);
    await learned.reload();
    return learned;
  }

  /** Takes over what another process learned. */
  reload(): Promise<void> {
    return this.#serial(OFFERS, () => this.#read());
  }

  /** By kind, each in the order the server gave. */
  of(serverId: string): readonly ServerOfferRecord[] {
    return this.#byServer.get(serverId) ?? [];
  }

  /** Keeps a new list; of a kind that could not be listed, what was known. Resolves with whether that changed anything. */
  learn(serverId: string, list: OfferList): Promise<boolean> {
    return this.#serial(OFFERS, () => this.#keep(serverId, list));
  }

  forget(serverId: string): void {
    this.#byServer.delete(serverId);
  }

  async #read(): Promise<void> {
    const byServer = new Map<string, ServerOfferRecord[]>();
    for (const offer of await this.#store.offers()) {
      const known = byServer.get(offer.serverId);
      if (known) known.push(offer);
      else byServer.set(offer.serverId, [offer]);
    }
    this.#byServer = new Map(
      [...byServer].map(([serverId, offers]) => [serverId, keptWhereEqual(this.of(serverId), offers)]),
    );
  }

  async #keep(serverId: string, list: OfferList): Promise<boolean> {
    const known = this.of(serverId);
    const listed = list.offers.map((offer) => ({ serverId, ...offer }));
    const kept = known.filter(({ kind }) => list.failed.includes(kind));
    const offers = keptWhereEqual(known, [...listed, ...kept].sort(byKind));
    if (offers === known) return false;

    await this.#store.replaceOffers(serverId, offers);
    this.#byServer.set(serverId, offers);
    return true;
  }
}

/** As the store lists them. */
function byKind(a: ServerOfferRecord, b: ServerOfferRecord): number {
  return a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0;
}

/** What did not change stays the same object, so that whoever made something of it need not look again. */
function keptWhereEqual(
  known: readonly ServerOfferRecord[],
  fresh: readonly ServerOfferRecord[],
): readonly ServerOfferRecord[] {
  const byText = new Map(known.map((offer) => [stableJson(offer), offer]));
  const offers = fresh.map((offer) => byText.get(stableJson(offer)) ?? offer);
  const isSame = offers.length === known.length && offers.every((offer, index) => offer === known[index]);
  return isSame ? known : offers;
}
