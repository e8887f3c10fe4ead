import type { Settings } from "../config/settings.ts";
import type { Clock } from "../lib/clock.ts";
import type { ServerOfferRecord, ServerRecord, Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import type { Connection } from "./connection.ts";
import { LearnedOffers } from "./learned-offers.ts";
import { LearnedTools } from "./learned-tools.ts";
import type { OfferList } from "./offer-list.ts";
import type { Server } from "./server.ts";
import type { ToolList } from "./tool-list.ts";

export interface LearnedDeps {
  readonly store: Pick<Store, "servers" | "toolNames">;
  readonly reservedNames: () => ReadonlySet<string>;
  readonly clock: Clock;
}

type Warn = (server: Server, message: string) => void;

/** What connections taught about servers: their tools, what else they offer, and that some ask back. */
export class Learned {
  readonly #store: LearnedDeps["store"];
  readonly #tools: LearnedTools;
  readonly #offers: LearnedOffers;

  private constructor(store: LearnedDeps["store"], tools: LearnedTools, offers: LearnedOffers) {
    this.#store = store;
    this.#tools = tools;
    this.#offers = offers;
  }

  static async open({ store, reservedNames, clock }: LearnedDeps): Promise<Learned> {
    const tools = await LearnedTools.open(store, reservedNames, clock);
    return new Learned(store, tools, await LearnedOffers.open(store));
  }

  /** Takes over what another process learned. */
  async reload(): Promise<void> {
    await this.#tools.reload();
    await this.#offers.reload();
  }

  forget(serverId: string): void {
    this.#tools.forget(serverId);
    this.#offers.forget(serverId);
  }

  toolsOf(server: Server, settings: Settings): readonly Tool[] {
    return this.#tools.of(server, settings);
  }

  offersOf(server: Server): readonly ServerOfferRecord[] {
    return this.#offers.of(server.definition.record.id);
  }

  /** Resolves with what that changed in the server's record. */
  async learnTools(
    server: Server,
    list: ToolList,
    connection: Connection,
    settings: Settings,
    warn: Warn,
  ): Promise<Partial<ServerRecord>> {
    for (const warning of list.warnings) warn(server, warning);
    const news = await this.#tools.learn(server, list, connection, settings);
    const nameless = list.tools.length - this.#tools.of(server, settings).length;
    if (nameless > 0) warn(server, `${nameless} tools were left out: it has had too many names already`);
    return news;
  }

  /** Resolves with whether that changed anything. */
  async learnOffers(server: Server, list: OfferList, warn: Warn): Promise<boolean> {
    for (const warning of list.warnings) warn(server, warning);
    return await this.#offers.learn(server.definition.record.id, list);
  }

  async learnAsksBack(server: Server): Promise<Partial<ServerRecord>> {
    await this.#store.servers.update(server.definition.record.id, { asksBack: true });
    return { asksBack: true };
  }
}
