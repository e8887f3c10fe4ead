import { createSerial } from "../../lib/flow/serial.ts";
import { stableJson } from "../../lib/json.ts";
import type { ServerOfferRecord } from "../records.ts";
import type { ServerTable } from "../tables/servers.ts";
import type { OfferList } from "./offer-list.ts";

/** Serialises storing and reloading: offers read before others were stored must not replace those. */
const OFFERS = "offers";

type OfferStore = Pick<ServerTable, "offers" | "replaceOffers">;

/** The last known offers of every server, in memory and in the store, so that listing needs no running server. */
export class StoredOffers {
  readonly #store: OfferStore;
  readonly #serial = createSerial();
  #byServer = new Map<string, readonly ServerOfferRecord[]>();

  private constructor(store: OfferStore) {
    this.#store = store;
  }

  static async open({ servers }: { readonly servers: OfferStore }): Promise<StoredOffers> {
    const offers = new StoredOffers(servers);
    await offers.reload();
    return offers;
  }

  /** Reads what another process stored. */
  reload(): Promise<void> {
    return this.#serial(OFFERS, () => this.#read());
  }

  /** Sorted by kind, within a kind in the server's order. */
  get(serverId: string): readonly ServerOfferRecord[] {
    return this.#byServer.get(serverId) ?? [];
  }

  /** Stores a new list and keeps the known offers of kinds that failed. Resolves with whether anything changed. */
  store(serverId: string, list: OfferList): Promise<boolean> {
    return this.#serial(OFFERS, () => this.#storeList(serverId, list));
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
      [...byServer].map(([serverId, offers]) => [serverId, reuseEqual(this.get(serverId), offers)]),
    );
  }

  async #storeList(serverId: string, list: OfferList): Promise<boolean> {
    const known = this.get(serverId);
    const listed = list.offers.map((offer) => ({ serverId, ...offer }));
    const kept = known.filter(({ kind }) => list.failedKinds.includes(kind));
    const offers = reuseEqual(known, [...listed, ...kept].sort(compareKinds));
    if (offers === known) return false;

    await this.#store.replaceOffers(serverId, offers);
    this.#byServer.set(serverId, offers);
    return true;
  }
}

/** The store's order. */
function compareKinds(a: ServerOfferRecord, b: ServerOfferRecord): number {
  return a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0;
}

/** Keeps unchanged offers as the same objects, so that caches keyed by them stay valid. */
function reuseEqual(
  known: readonly ServerOfferRecord[],
  fresh: readonly ServerOfferRecord[],
): readonly ServerOfferRecord[] {
  const byText = new Map(known.map((offer) => [stableJson(offer), offer]));
  const offers = fresh.map((offer) => byText.get(stableJson(offer)) ?? offer);
  const isSame = offers.length === known.length && offers.every((offer, index) => offer === known[index]);
  return isSame ? known : offers;
}
