import { messageOf } from "../../contract/errors.ts";
import type { Tool } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { createPace } from "../../lib/flow/pace.ts";
import { stableJson } from "../../lib/json.ts";
import type { LeftOut } from "../../lib/text/left-out.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Connection } from "../connection/connection.ts";
import type { Definition } from "../lifecycle/definition.ts";
import type { Server } from "../lifecycle/server.ts";
import type { ServerOfferRecord, ServerRecord } from "../records.ts";
import { PIN_KINDS, type PinKind, type PinRecord } from "../records.ts";
import type { ServerTables } from "../tables/server-tables.ts";
import { computeVersion } from "../trust/change-view.ts";
import type { PublishedItem } from "../trust/compare-pins.ts";
import { type ForeignNames, scanDefinition } from "../trust/definitions/scan-text.ts";
import { computeFingerprint } from "../trust/fingerprint.ts";
import { isPinned, type ListUpdate, listWaiting, Pins } from "../trust/pins.ts";
import { TrustNotices, type TrustNoticesDeps } from "../trust/trust-notices.ts";
import { getOfferKey, type Offer } from "./offer-key.ts";
import type { OfferList } from "./offer-list.ts";
import { StoredOffers } from "./stored-offers.ts";
import { StoredTools } from "./stored-tools.ts";
import { ToolCapabilities } from "./tool-capabilities.ts";
import type { ToolList } from "./tool-list.ts";

export interface ServerListsDeps extends TrustNoticesDeps {
  readonly store: ServerTables;
  readonly reservedNames: () => ReadonlySet<string>;
  readonly clock: Clock;
  readonly live: { readonly settings: Settings };
}

type Warn = (server: Server, message: string) => void;

/** The offers that are pinned like tools. Resources are content, and come and go. */
const PINNED_OFFERS = ["prompt", "resource_template"] as const;

/** How many unusable entries are kept for people to see. */
const MAX_LEFT_OUT = 50;

/** How long a further connection may take to list its prompts. */
const INSPECT_MS = 10_000;

/** The last lists of all servers, and the decisions of people about them. */
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
    decisions: Pick<ServerLists, "pins" | "capabilities">,
    tools: StoredTools,
    offers: StoredOffers,
  ) {
    this.pins = decisions.pins;
    this.capabilities = decisions.capabilities;
    this.notices = new TrustNotices(deps);
    this.tools = tools;
    this.#store = deps.store;
    this.#live = deps.live;
    this.#offers = offers;
  }

  static async open(deps: ServerListsDeps): Promise<ServerLists> {
    const { store, reservedNames, clock, live } = deps;
    const decisions = {
      pins: new Pins(store.pins, clock, live),
      capabilities: new ToolCapabilities(store.toolCapabilities, clock),
    };
    await decisions.pins.reload();
    await decisions.capabilities.reload();
    const tools = await StoredTools.open(store, reservedNames, clock, decisions);
    return new ServerLists(deps, decisions, tools, await StoredOffers.open(store));
  }

  /** Reads what another process stored. */
  async reload(): Promise<void> {
    // First, so that no hidden tool is visible for a moment.
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

  /** The unusable entries of the last list; empty if this process has not listed the server yet. */
  getLeftOut(serverId: string): readonly LeftOut[] {
    return this.#leftOut.get(serverId) ?? [];
  }

  getTools(server: Server): readonly Tool[] {
    return this.tools.getTools(server, this.#live.settings);
  }

  getOffers(server: Server): readonly ServerOfferRecord[] {
    const { id } = server.definition.record;
    const offers = this.#offers.get(id);
    if (!this.#isPinned(server.definition)) return offers;
    return offers.filter(({ kind, definition }) => {
      if (kind === "resource") return true;
      const key = getOfferKey({ kind, definition });
      return !this.pins.mustHide(id, kind, key, () => this.#fingerprint(kind, definition));
    });
  }

  /** Whether the server's instructions must not be shown. */
  hidesInstructions({ definition }: Server): boolean {
    const { record } = definition;
    const { id, instructions } = record;
    if (instructions === null || !this.#isPinned(definition)) return false;
    const [published] = toPublishedInstructions(instructions);
    return this.pins.mustHide(id, "instructions", published!.key, () =>
      this.#fingerprint("instructions", published!.definition, record),
    );
  }

  #isPinned(definition: Definition): boolean {
    return isPinned(definition, this.#live.settings);
  }

  /** Recognises the names of other servers and their tools, for scanning what this server says. */
  getForeignNames({ id, name }: ServerRecord, isServer: (name: string) => boolean): ForeignNames {
    return {
      isTool: (word) => this.tools.isForeign(id, word),
      isServer: (word) => word !== name.toLowerCase() && isServer(word),
    };
  }

  /** Holds whatever a further connection shows to have changed. Resolves with whether there was any change. */
  async inspect(
    server: Server,
    connection: Pick<Connection, "initialTools" | "listOffers">,
  ): Promise<boolean> {
    const { record } = server.definition;
    const { id } = record;
    if (!this.#isPinned(server.definition) || !this.pins.hasAcceptedList(id, "tool")) return false;
    const changed = await this.tools.findChanged(id, connection.initialTools);
    const kinds = PINNED_OFFERS.filter((kind) => this.#offers.get(id).some((offer) => offer.kind === kind));
    const offers =
      kinds.length === 0
        ? undefined
        : await connection.listOffers(AbortSignal.timeout(INSPECT_MS), PINNED_OFFERS);
    if (changed.length === 0 && !offers) return false;
    return await this.#notifyIfHeldChanges(record, async () => {
      if (changed.length > 0) {
        const after = changed.map((definition) => ({ key: definition.name, definition }));
        const before = this.#getKnownTools(record);
        await this.pins.compare(id, [{ kind: "tool", before, after, isWhole: false }]);
      }
      if (offers) await this.#compareOffers(id, offers, false);
    });
  }

  /** Resolves with the changed fields of the server's record. */
  async storeTools(
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
    // A failed notification must not keep the list from taking effect.
    await this.notices.warnOfLeftOut(record, list.warnings).catch((error) => warn(server, messageOf(error)));
    const changed = await this.tools.findChanged(record.id, list);
    if (this.#isPinned(server.definition)) {
      // A server that was connected before has had time to publish its prompts and templates.
      if (record.listedAt !== null && list === connection.initialTools)
        for (const kind of PINNED_OFFERS) await this.#acceptKnown(record.id, kind);
      const isChanged =
        changed.length > 0 ||
        list.tools.length !== this.tools.getList(record.id).length ||
        this.pins.getHidden(record.id).size > 0;
      await this.#notifyIfHeldChanges(record, () => this.#pinTools(record, list, connection, isChanged));
    }
    const recordChanges = await this.tools.store(server, list, connection, this.#live.settings);
    const nameless = list.tools.length - this.tools.getTools(server, this.#live.settings).length;
    if (nameless > 0)
      warn(server, `${nameless} tools were left out: the server has used up its limit of names`);

    const others = this.getForeignNames(record, isServer);
    const pace = createPace();
    const { instructions } = connection;
    const isNewText =
      instructions !== null && (instructions !== record.instructions || record.listedAt === null);
    const isHeld = this.pins.isHeld(record.id, "instructions", "instructions");
    const isSuspicious = isNewText && !isHeld && scanDefinition({ instructions }, others).length > 0;
    const flagged = isSuspicious ? ["instructions"] : [];
    for (const definition of changed) {
      const isHeld = this.pins.isToolHeld(record.id, definition.name);
      if (!isHeld && scanDefinition(definition, others).length > 0) flagged.push(definition.name);
      await pace();
    }
    await this.notices.warnOfTools(record, flagged);
    return recordChanges;
  }

  /** Resolves with whether anything changed. */
  async storeOffers(
    server: Server,
    list: OfferList,
    warn: Warn,
    isServer: (name: string) => boolean,
  ): Promise<boolean> {
    for (const warning of list.warnings) warn(server, warning);
    const { record } = server.definition;
    const { id } = record;
    if (this.#isPinned(server.definition)) {
      await this.#notifyIfHeldChanges(record, async () => {
        for (const kind of PINNED_OFFERS)
          if (list.failedKinds.includes(kind)) await this.#acceptKnown(id, kind);
        await this.#compareOffers(id, list, true);
      });
    }
    const fresh = findNewOffers(list.offers, this.#offers.get(id));
    const isChanged = await this.#offers.store(id, list);
    await this.#warnOfOffers(record, fresh, this.getForeignNames(record, isServer));
    return isChanged;
  }

  /** The server's visible prompts and resource templates. */
  listVisibleOffers(serverId: string): readonly Offer[] {
    return this.#offers.get(serverId).filter(({ kind, definition }) => {
      if (kind === "resource") return false;
      return !this.pins.isHeld(serverId, kind, getOfferKey({ kind, definition }));
    });
  }

  async #warnOfOffers(record: ServerRecord, offers: readonly Offer[], others: ForeignNames): Promise<void> {
    const pace = createPace();
    const flagged: string[] = [];
    for (const offer of offers) {
      const { kind, definition } = offer;
      const key = getOfferKey(offer);
      const isHeld = kind !== "resource" && this.pins.isHeld(record.id, kind, key);
      if (!isHeld && scanDefinition(definition, others).length > 0) flagged.push(`${kind} ${key}`);
      await pace();
    }
    await this.notices.warnOfOffers(record, flagged);
  }

  async #compareOffers(serverId: string, list: OfferList, isWhole: boolean): Promise<void> {
    const known = this.#offers.get(serverId);
    const lists = PINNED_OFFERS.filter((kind) => !list.failedKinds.includes(kind)).map((kind) => ({
      kind,
      before: toPublished(kind, known),
      after: toPublished(kind, list.offers),
      isWhole,
    }));
    await this.pins.compare(serverId, lists);
  }

  async storeAsksBack(server: Server): Promise<Partial<ServerRecord>> {
    await this.#store.servers.update(server.definition.record.id, { asksBack: true });
    return { asksBack: true };
  }

  /**
   * Compares the last list with a decision just made. Another connection may have shown the person something else than
   * what was last listed; the difference then awaits a decision.
   */
  async recheck({ definition }: Server, decidedPins: readonly PinRecord[]): Promise<void> {
    const { record } = definition;
    for (const kind of PIN_KINDS) {
      const due = new Map(decidedPins.filter((pin) => pin.kind === kind).map((pin) => [pin.key, pin]));
      const after = due.size === 0 ? [] : this.#getLastListed(record, kind).filter(({ key }) => due.has(key));
      if (after.length === 0) continue;
      const before = [...due.values()].map(({ key, heldAs }) => ({ key, definition: heldAs ?? {} }));
      await this.pins.compare(record.id, [{ kind, before, after, isWhole: false }]);
    }
  }

  /** Accepts the known offers of a kind that the server did not list when it could, so that a later list is not its first. */
  async #acceptKnown(serverId: string, kind: (typeof PINNED_OFFERS)[number]): Promise<void> {
    if (this.pins.hasAcceptedList(serverId, kind)) return;
    const known = toPublished(kind, this.#offers.get(serverId));
    await this.pins.compare(serverId, [{ kind, before: known, after: known, isWhole: false }]);
  }

  #getLastListed(record: ServerRecord, kind: PinKind): readonly PublishedItem[] {
    if (kind === "tool") return this.#getKnownTools(record);
    if (kind === "instructions") return toPublishedInstructions(record.instructions);
    return toPublished(kind, this.#offers.get(record.id));
  }

  /** Cached per `owner`, an object that lives as long as the definition. */
  #fingerprint(kind: PinKind, definition: PublishedItem["definition"], owner: object = definition): string {
    const fingerprint = this.#fingerprints.get(owner) ?? computeFingerprint(kind, definition);
    this.#fingerprints.set(owner, fingerprint);
    return fingerprint;
  }

  async #pinTools(
    record: ServerRecord,
    list: ToolList,
    { instructions }: Connection,
    isChanged: boolean,
  ): Promise<void> {
    const { id } = record;
    const isKnown = (kind: PinKind) => this.pins.hasAcceptedList(id, kind);
    const lists: ListUpdate[] = [];
    if (isChanged || !isKnown("tool")) {
      const after = list.tools.map((definition) => ({ key: definition.name, definition }));
      lists.push({ kind: "tool", before: this.#getKnownTools(record), after, isWhole: true });
    }
    if (instructions !== record.instructions || !isKnown("instructions")) {
      const [before, after] = [
        toPublishedInstructions(record.instructions),
        toPublishedInstructions(instructions),
      ];
      lists.push({ kind: "instructions", before, after, isWhole: true });
    }
    if (lists.length > 0) await this.pins.compare(id, lists);
  }

  #getKnownTools({ id, listedAt }: ServerRecord): readonly PublishedItem[] {
    if (listedAt === null) return [];
    return this.tools.getList(id).map((tool) => ({
      key: tool.originalName,
      get definition() {
        return tool.definition;
      },
    }));
  }

  /** Runs `work` and notifies people if it changed what awaits their decision. Resolves with whether it did. */
  async #notifyIfHeldChanges(record: ServerRecord, work: () => Promise<void>): Promise<boolean> {
    const waiting = (): readonly PinRecord[] => listWaiting(this.pins.getHeld(record.id));
    const before = computeVersion(waiting());
    await work();
    if (computeVersion(waiting()) === before) return false;
    await this.notices.ask(record, this.pins.getHeld(record.id));
    return true;
  }
}

/** Prompts and resource templates that are new or changed. */
function findNewOffers(offers: readonly Offer[], before: readonly Offer[]): readonly Offer[] {
  const known = new Set(before.map(({ kind, definition }) => `${kind} ${stableJson(definition)}`));
  return offers.filter(
    ({ kind, definition }) => kind !== "resource" && !known.has(`${kind} ${stableJson(definition)}`),
  );
}

function toPublished(kind: PinKind, offers: readonly Offer[]): readonly PublishedItem[] {
  return offers
    .filter((offer) => offer.kind === kind)
    .map((offer) => ({ key: getOfferKey(offer), definition: offer.definition }));
}

function toPublishedInstructions(instructions: string | null): readonly PublishedItem[] {
  return instructions === null ? [] : [{ key: "instructions", definition: { instructions } }];
}
