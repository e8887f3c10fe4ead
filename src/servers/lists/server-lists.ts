import { messageOf } from "../../contract/errors.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { stableJson } from "../../lib/json.ts";
import type { LeftOut } from "../../lib/text/left-out.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerOfferRecord, ServerRecord, Store } from "../../machine/db/store.ts";
import { PIN_KINDS, type PinKind, type PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import type { Connection } from "../connection/connection.ts";
import type { Definition } from "../lifecycle/definition.ts";
import type { Server } from "../lifecycle/server.ts";
import { versionOf } from "../trust/change-view.ts";
import type { Published } from "../trust/compare-pins.ts";
import { type Others, scanDefinition } from "../trust/definitions/scan-text.ts";
import { fingerprintOf } from "../trust/fingerprint.ts";
import { isPinned, type Lists, Pins, waitingIn } from "../trust/pins.ts";
import { TrustNotices, type TrustNoticesDeps } from "../trust/trust-notices.ts";
import { keyOfOffer, type Offer } from "./offer-key.ts";
import type { OfferList } from "./offer-list.ts";
import { StoredOffers } from "./stored-offers.ts";
import { StoredTools } from "./stored-tools.ts";
import { ToolCapabilities } from "./tool-capabilities.ts";
import type { ToolList } from "./tool-list.ts";

export interface ServerListsDeps extends TrustNoticesDeps {
  readonly store: Pick<Store, "servers" | "toolNames" | "pins" | "toolCapabilities" | "notifications">;
  readonly reservedNames: () => ReadonlySet<string>;
  readonly clock: Clock;
  readonly live: { readonly settings: Settings };
}

type Warn = (server: Server, message: string) => void;

/** Of offers, those that are like tools. Resources are what a server holds, and come and go. */
const PINNED_OFFERS = ["prompt", "resource_template"] as const;

/** Of what a server lists and nobody can use, so much is kept for people to see. */
const MAX_LEFT_OUT = 50;

/** As long a further connection has to show its prompts. */
const INSPECT_MS = 10_000;

/** What connections taught about servers, and what people decided about that. */
export class ServerLists {
  readonly pins: Pins;
  readonly capabilities: ToolCapabilities;
  readonly notices: TrustNotices;
  readonly tools: StoredTools;
  readonly #store: ServerListsDeps["store"];
  readonly #live: ServerListsDeps["live"];
  readonly #offers: StoredOffers;
  readonly #fingerprints = new WeakMap<object, string>();
  readonly #leftOut = new Map<string, readonly LeftOut[]>();

  private constructor(
    deps: ServerListsDeps,
    decided: Pick<ServerLists, "pins" | "capabilities">,
    tools: StoredTools,
    offers: StoredOffers,
  ) {
    this.pins = decided.pins;
    this.capabilities = decided.capabilities;
    this.notices = new TrustNotices(deps);
    this.tools = tools;
    this.#store = deps.store;
    this.#live = deps.live;
    this.#offers = offers;
  }

  static async open(deps: ServerListsDeps): Promise<ServerLists> {
    const { store, reservedNames, clock, live } = deps;
    const decided = {
      pins: new Pins(store.pins, clock, live),
      capabilities: new ToolCapabilities(store.toolCapabilities, clock),
    };
    await decided.pins.reload();
    await decided.capabilities.reload();
    const tools = await StoredTools.open(store, reservedNames, clock, decided);
    return new ServerLists(deps, decided, tools, await StoredOffers.open(store));
  }

  /** Takes over what another process learned. */
  async reload(): Promise<void> {
    // First: nothing that is kept back may be there for a moment.
    await this.pins.reload();
    await this.capabilities.reload();
    await this.tools.reload();
    await this.#offers.reload();
  }

  async forget(serverId: string): Promise<void> {
    this.tools.forget(serverId);
    this.#leftOut.delete(serverId);
    this.#offers.forget(serverId);
    await this.capabilities.forget(serverId);
    await this.unpin(serverId);
  }

  async unpin(serverId: string): Promise<void> {
    if (!this.pins.hasAny(serverId)) return;
    await this.pins.forget(serverId);
    await this.notices.forget(serverId);
  }

  /** What of its last list nobody can use; nothing where this process has not listed it yet. */
  leftOutOf(serverId: string): readonly LeftOut[] {
    return this.#leftOut.get(serverId) ?? [];
  }

  toolsOf(server: Server): readonly Tool[] {
    return this.tools.of(server, this.#live.settings);
  }

  offersOf(server: Server): readonly ServerOfferRecord[] {
    const { id } = server.definition.record;
    const offers = this.#offers.of(id);
    if (!this.#isPinned(server.definition)) return offers;
    return offers.filter(({ kind, definition }) => {
      if (kind === "resource") return true;
      const key = keyOfOffer({ kind, definition });
      return !this.pins.keepsBack(id, kind, key, () => this.#fingerprint(kind, definition));
    });
  }

  /** Whether nobody may see what a server says of itself. */
  keepsInstructions({ definition }: Server): boolean {
    const { record } = definition;
    const { id, instructions } = record;
    if (instructions === null || !this.#isPinned(definition)) return false;
    const [said] = saidBy(instructions);
    return this.pins.keepsBack(id, "instructions", said!.key, () =>
      this.#fingerprint("instructions", said!.definition, record),
    );
  }

  #isPinned(definition: Definition): boolean {
    return isPinned(definition, this.#live.settings);
  }

  /** What other servers' names are, for whoever looks at what this one says. */
  othersOf({ id, name }: ServerRecord, isServer: (name: string) => boolean): Others {
    return {
      isTool: (word) => this.tools.isOthers(id, word),
      isServer: (word) => word !== name.toLowerCase() && isServer(word),
    };
  }

  /** Keeps back what a further connection of a server shows to have changed. Resolves with whether something did. */
  async inspect(
    server: Server,
    connection: Pick<Connection, "initialTools" | "listOffers">,
  ): Promise<boolean> {
    const { record } = server.definition;
    const { id } = record;
    if (!this.#isPinned(server.definition) || !this.pins.isKnown(id, "tool")) return false;
    const news = await this.tools.newsIn(id, connection.initialTools);
    const kinds = PINNED_OFFERS.filter((kind) => this.#offers.of(id).some((offer) => offer.kind === kind));
    const offers =
      kinds.length === 0
        ? undefined
        : await connection.listOffers(AbortSignal.timeout(INSPECT_MS), PINNED_OFFERS);
    if (news.length === 0 && !offers) return false;
    return await this.#holding(record, async () => {
      if (news.length > 0) {
        const after = news.map((definition) => ({ key: definition.name, definition }));
        const before = this.#toolsBefore(record);
        await this.pins.compare(id, [{ kind: "tool", before, after, isWhole: false }]);
      }
      if (offers) await this.#compareOffers(id, offers, false);
    });
  }

  /** Resolves with what that changed in the server's record. */
  async learnTools(
    server: Server,
    list: ToolList,
    connection: Connection,
    warn: Warn,
    isServer: (name: string) => boolean,
  ): Promise<Partial<ServerRecord>> {
    for (const warning of list.warnings) {
      warn(server, warning);
      server.log.addMessage("warning", warning);
    }
    const { record } = server.definition;
    this.#leftOut.set(record.id, (list.leftOut ?? []).slice(0, MAX_LEFT_OUT));
    // The list of a server counts also where nobody can be told what is wrong with it.
    await this.notices.leftOut(record, list.warnings).catch((error) => warn(server, messageOf(error)));
    const fresh = await this.tools.newsIn(record.id, list);
    if (this.#isPinned(server.definition)) {
      // Whoever was connected before has had the time to show the rest.
      if (record.listedAt !== null && list === connection.initialTools)
        for (const kind of PINNED_OFFERS) await this.#acceptKnown(record.id, kind);
      const isChanged =
        fresh.length > 0 ||
        list.tools.length !== this.tools.listOf(record.id).length ||
        this.pins.keptBackOf(record.id).size > 0;
      await this.#holding(record, () => this.#pinTools(record, list, connection, isChanged));
    }
    const news = await this.tools.learn(server, list, connection, this.#live.settings);
    const nameless = list.tools.length - this.tools.of(server, this.#live.settings).length;
    if (nameless > 0) warn(server, `${nameless} tools were left out: it has had too many names already`);

    const others = this.othersOf(record, isServer);
    const pace = createPace();
    const { instructions } = connection;
    const isSaidAnew =
      instructions !== null && (instructions !== record.instructions || record.listedAt === null);
    const isKept = this.pins.isHeld(record.id, "instructions", "instructions");
    const isOdd = isSaidAnew && !isKept && scanDefinition({ instructions }, others).length > 0;
    const found = isOdd ? ["instructions"] : [];
    for (const definition of fresh) {
      const isHeld = this.pins.isToolHeld(record.id, definition.name);
      if (!isHeld && scanDefinition(definition, others).length > 0) found.push(definition.name);
      await pace();
    }
    await this.notices.warn(record, found);
    return news;
  }

  /** Resolves with whether that changed anything. */
  async learnOffers(
    server: Server,
    list: OfferList,
    warn: Warn,
    isServer: (name: string) => boolean,
  ): Promise<boolean> {
    for (const warning of list.warnings) warn(server, warning);
    const { record } = server.definition;
    const { id } = record;
    if (this.#isPinned(server.definition)) {
      await this.#holding(record, async () => {
        for (const kind of PINNED_OFFERS) if (list.failed.includes(kind)) await this.#acceptKnown(id, kind);
        await this.#compareOffers(id, list, true);
      });
    }
    const fresh = freshIn(list.offers, this.#offers.of(id));
    const isChanged = await this.#offers.learn(id, list);
    await this.#warnOf(record, fresh, this.othersOf(record, isServer));
    return isChanged;
  }

  /** Its prompts and templates, without those that are kept back. */
  shownOffers(serverId: string): readonly Offer[] {
    return this.#offers.of(serverId).filter(({ kind, definition }) => {
      if (kind === "resource") return false;
      return !this.pins.isHeld(serverId, kind, keyOfOffer({ kind, definition }));
    });
  }

  async #warnOf(record: ServerRecord, offers: readonly Offer[], others: Others): Promise<void> {
    const pace = createPace();
    const found: string[] = [];
    for (const offer of offers) {
      const { kind, definition } = offer;
      const key = keyOfOffer(offer);
      const isHeld = kind !== "resource" && this.pins.isHeld(record.id, kind, key);
      if (!isHeld && scanDefinition(definition, others).length > 0) found.push(`${kind} ${key}`);
      await pace();
    }
    await this.notices.warnOfOffers(record, found);
  }

  async #compareOffers(serverId: string, list: OfferList, isWhole: boolean): Promise<void> {
    const known = this.#offers.of(serverId);
    const lists = PINNED_OFFERS.filter((kind) => !list.failed.includes(kind)).map((kind) => ({
      kind,
      before: publishedOf(kind, known),
      after: publishedOf(kind, list.offers),
      isWhole,
    }));
    await this.pins.compare(serverId, lists);
  }

  async learnAsksBack(server: Server): Promise<Partial<ServerRecord>> {
    await this.#store.servers.update(server.definition.record.id, { asksBack: true });
    return { asksBack: true };
  }

  /**
   * After a decision: what was last listed may be something else than what another connection showed and a person
   * looked at. It waits then.
   */
  async recheck({ definition }: Server, decided: readonly PinRecord[]): Promise<void> {
    const { record } = definition;
    for (const kind of PIN_KINDS) {
      const due = new Map(decided.filter((pin) => pin.kind === kind).map((pin) => [pin.key, pin]));
      const after = due.size === 0 ? [] : this.#listed(record, kind).filter(({ key }) => due.has(key));
      if (after.length === 0) continue;
      const before = [...due.values()].map(({ key, heldAs }) => ({ key, definition: heldAs ?? {} }));
      await this.pins.compare(record.id, [{ kind, before, after, isWhole: false }]);
    }
  }

  /** What a server did not show when it could counts as accepted as it was: a later list is not the first. */
  async #acceptKnown(serverId: string, kind: (typeof PINNED_OFFERS)[number]): Promise<void> {
    if (this.pins.isKnown(serverId, kind)) return;
    const known = publishedOf(kind, this.#offers.of(serverId));
    await this.pins.compare(serverId, [{ kind, before: known, after: known, isWhole: false }]);
  }

  #listed(record: ServerRecord, kind: PinKind): readonly Published[] {
    if (kind === "tool") return this.#toolsBefore(record);
    if (kind === "instructions") return saidBy(record.instructions);
    return publishedOf(kind, this.#offers.of(record.id));
  }

  /** Once for every object: `of` is the one that lives as long as what is said. */
  #fingerprint(kind: PinKind, said: Published["definition"], of: object = said): string {
    const fingerprint = this.#fingerprints.get(of) ?? fingerprintOf(kind, said);
    this.#fingerprints.set(of, fingerprint);
    return fingerprint;
  }

  async #pinTools(
    record: ServerRecord,
    list: ToolList,
    { instructions }: Connection,
    isChanged: boolean,
  ): Promise<void> {
    const { id } = record;
    const isKnown = (kind: PinKind) => this.pins.isKnown(id, kind);
    const lists: Lists[] = [];
    if (isChanged || !isKnown("tool")) {
      const after = list.tools.map((definition) => ({ key: definition.name, definition }));
      lists.push({ kind: "tool", before: this.#toolsBefore(record), after, isWhole: true });
    }
    if (instructions !== record.instructions || !isKnown("instructions")) {
      const [before, after] = [saidBy(record.instructions), saidBy(instructions)];
      lists.push({ kind: "instructions", before, after, isWhole: true });
    }
    if (lists.length > 0) await this.pins.compare(id, lists);
  }

  #toolsBefore({ id, listedAt }: ServerRecord): readonly Published[] {
    if (listedAt === null) return [];
    return this.tools.listOf(id).map((tool) => ({
      key: tool.originalName,
      get definition() {
        return tool.definition;
      },
    }));
  }

  /** People are told where `work` changed what waits for them. Resolves with whether it did. */
  async #holding(record: ServerRecord, work: () => Promise<void>): Promise<boolean> {
    const waiting = (): readonly PinRecord[] => waitingIn(this.pins.heldOf(record.id));
    const before = versionOf(waiting());
    await work();
    if (versionOf(waiting()) === before) return false;
    await this.notices.ask(record, this.pins.heldOf(record.id));
    return true;
  }
}

/** Prompts and templates that were not there, or not the same. */
function freshIn(offers: readonly Offer[], before: readonly Offer[]): readonly Offer[] {
  const known = new Set(before.map(({ kind, definition }) => `${kind} ${stableJson(definition)}`));
  return offers.filter(
    ({ kind, definition }) => kind !== "resource" && !known.has(`${kind} ${stableJson(definition)}`),
  );
}

function publishedOf(kind: PinKind, offers: readonly Offer[]): readonly Published[] {
  return offers
    .filter((offer) => offer.kind === kind)
    .map((offer) => ({ key: keyOfOffer(offer), definition: offer.definition }));
}

function saidBy(instructions: string | null): readonly Published[] {
  return instructions === null ? [] : [{ key: "instructions", definition: { instructions } }];
}
