import { stableJson } from "../lib/json.ts";
import type { ServerOfferRecord, Store } from "../store/store.ts";
import type { OfferList } from "./offer-list.ts";

type OfferStore = Pick<Store["servers"], "offers" | "replaceOffers">;

/** What every server offered last beside its tools, in memory and in the store, so that listing needs no running server. */
export class LearnedOffers {
  readonly #store: OfferStore;
  #byServer = new Map<string, readonly ServerOfferRecord[]>();

  private constructor(store: OfferStore) {
    this.#store = store;
  }

  static async open({ servers }: { readonly servers: OfferStore }): Promise<LearnedOffers> {
    const learned = new LearnedOffers(servers);
    await learned.reload();
    return learned;
  }

  /** Takes over what another process learned. */
  async reload(): Promise<void> {
    const byServer = new Map<string, ServerOfferRecord[]>();
    for (const offer of await this.#store.offers()) {
      const known = byServer.get(offer.serverId);
      if (known) known.push(offer);
      else byServer.set(offer.serverId, [offer]);
    }
    this.#byServer = byServer;
  }

  /** By kind, each in the order the server gave. */
  of(serverId: string): readonly ServerOfferRecord[] {
    return this.#byServer.get(serverId) ?? [];
  }

  /** Keeps a new list; of a kind that could not be listed, what was known. Resolves with whether that changed anything. */
  async learn(serverId: string, list: OfferList): Promise<boolean> {
    const known = this.of(serverId);
    const listed = list.offers.map((offer) => ({ serverId, ...offer }));
    const kept = known.filter(({ kind }) => list.failed.includes(kind));
    const offers = [...listed, ...kept].sort(byKind);
    if (stableJson(offers) === stableJson(known)) return false;

    await this.#store.replaceOffers(serverId, offers);
    this.#byServer.set(serverId, offers);
    return true;
  }

  forget(serverId: string): void {
    this.#byServer.delete(serverId);
  }
}

/** As the store lists them. */
function byKind(a: ServerOfferRecord, b: ServerOfferRecord): number {
  return a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0;
}
