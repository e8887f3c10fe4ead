import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { ServerRequest } from "../connection/call.ts";
import type { Definition } from "../lifecycle/definition.ts";
import type { PinKind, PinRecord } from "../records.ts";
import type { PinTable } from "../tables/pins.ts";
import { comparePins, isWaiting, type PublishedItem, WHOLE_LIST } from "./compare-pins.ts";

/** The items of one kind that a server publishes, and those known before. */
export interface ListUpdate {
  readonly kind: PinKind;
  readonly before: readonly PublishedItem[];
  readonly after: readonly PublishedItem[];
  /** The list is complete: whatever is missing was withdrawn. */
  readonly isWhole: boolean;
}

export type Decision = "accept" | "reject";

const NO_PINS: ReadonlyMap<string, PinRecord> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();
const NONE_ACCEPTED: ReadonlyMap<string, string> = new Map();
/** Serialises reading and changing. */
const PINS = "pins";

/** The accepted and the held definitions of all servers. */
export class Pins {
  readonly #store: PinTable;
  readonly #clock: Clock;
  readonly #live: { readonly settings: Settings };
  readonly #serial = createSerial();
  /** By server id, then by kind and key. */
  #held = new Map<string, ReadonlyMap<string, PinRecord>>();
  readonly #waiting = new WeakMap<ReadonlyMap<string, PinRecord>, number>();
  /** The servers with hidden definitions; requests to all others need no check. */
  readonly serversWithHidden = new Set<string>();
  /** Fingerprints, by server id, then by kind and key. */
  #accepted = new Map<string, ReadonlyMap<string, string>>();
  /** By server id: the own names of tools in its last list that nobody may see. */
  readonly #hidden = new Map<string, ReadonlySet<string>>();
  /** Which lists have been accepted once, by server and kind. */
  #lists = new Set<string>();

  /** Empty until the first `reload`. */
  constructor(store: PinTable, clock: Clock, live: { readonly settings: Settings }) {
    this.#store = store;
    this.#clock = clock;
    this.#live = live;
  }

  reload(): Promise<void> {
    return this.#serial(PINS, () => this.#read());
  }

  /** All held definitions of a server, decided or not; the same map until it changes. */
  getHeld(serverId: string): ReadonlyMap<string, PinRecord> {
    return this.#held.get(serverId) ?? NO_PINS;
  }

  isHeld(serverId: string, kind: PinKind, key: string): boolean {
    return this.#held.get(serverId)?.has(pinId(kind, key)) ?? false;
  }

  /** Why a request must not be sent: it names a held definition. */
  findRefusal(definition: Definition, { method, params }: ServerRequest): string | undefined {
    const { id, name } = definition.record;
    const isHeld =
      method === "tools/call"
        ? this.isToolHeld(id, String(params.name))
        : method === "prompts/get" && this.isHeld(id, "prompt", String(params.name));
    return isHeld && isPinned(definition, this.#live.settings) ? describeHeld(name) : undefined;
  }

  /** Whether nobody may see or call a tool while its server is pinned. */
  isToolHeld(serverId: string, ownName: string): boolean {
    return this.isHeld(serverId, "tool", ownName) || this.getHidden(serverId).has(ownName);
  }

  /** The own names of tools, as last built, that nobody may see. */
  getHidden(serverId: string): ReadonlySet<string> {
    return this.#hidden.get(serverId) ?? NO_NAMES;
  }

  setHidden(serverId: string, ownNames: ReadonlySet<string>): void {
    if (ownNames.size > 0) this.#hidden.set(serverId, ownNames);
    else this.#hidden.delete(serverId);
    this.#trackHidden(serverId);
  }

  /** The accepted fingerprints of a server, by kind and key; the same map until it changes. */
  getAccepted(serverId: string): ReadonlyMap<string, string> {
    return this.#accepted.get(serverId) ?? NONE_ACCEPTED;
  }

  /** Whether nobody may see a definition: it is held, or its fingerprint is not the accepted one. */
  mustHide(serverId: string, kind: PinKind, key: string, fingerprint: () => string): boolean {
    if (this.isHeld(serverId, kind, key)) return true;
    return (
      this.hasAcceptedList(serverId, kind) &&
      this.getAccepted(serverId).get(pinId(kind, key)) !== fingerprint()
    );
  }

  /** The number of decisions that a person has yet to make. */
  countWaiting(serverId: string): number {
    const held = this.getHeld(serverId);
    const count = this.#waiting.get(held) ?? listWaiting(held).length;
    this.#waiting.set(held, count);
    return count;
  }

  hasAny(serverId: string): boolean {
    return this.getHeld(serverId).size > 0 || this.#lists.has(serverId);
  }

  /** Whether a list of this kind has been accepted. */
  hasAcceptedList(serverId: string, kind: PinKind): boolean {
    return this.#lists.has(pinId(serverId, kind));
  }

  /** Holds what was not accepted and releases what is unchanged, in all these lists at once. */
  compare(serverId: string, lists: readonly ListUpdate[]): Promise<void> {
    return this.#serial(PINS, async () => {
      const known = await this.#store.of(serverId);
      const now = this.#clock();
      const put: PinRecord[] = [];
      const removed: PinRecord[] = [];
      for (const list of lists) {
        const pins = known.filter(({ kind }) => kind === list.kind);
        const before = list.before.length === 0 ? undefined : list.before;
        const compared = await comparePins({ ...list, serverId, pins, before, now });
        for (const pin of compared.put) put.push(pin);
        for (const pin of compared.removed) removed.push(pin);
      }
      await this.#change(serverId, put, removed);
    });
  }

  /** Decides only about pins that are still as the person saw them; resolves with those. */
  decide(serverId: string, seen: readonly PinRecord[], decision: Decision): Promise<readonly PinRecord[]> {
    return this.#serial(PINS, async () => {
      const known = new Map((await this.#store.of(serverId)).map((pin) => [pinId(pin.kind, pin.key), pin]));
      const due = seen
        .filter((pin) => known.get(pinId(pin.kind, pin.key))?.held === pin.held)
        .map((pin) => known.get(pinId(pin.kind, pin.key))!);
      const changedAt = this.#clock();
      const put = due.map((pin) =>
        decision === "accept"
          ? {
              ...pin,
              accepted: pin.held,
              acceptedAs: null,
              held: null,
              heldAs: null,
              rejected: null,
              changedAt,
            }
          : { ...pin, rejected: pin.held, changedAt },
      );
      await this.#change(serverId, put, []);
      return due;
    });
  }

  /** Removes all pins of a server. */
  forget(serverId: string): Promise<void> {
    return this.#serial(PINS, async () => {
      await this.#store.deleteAll(serverId);
      await this.#read();
    });
  }

  async #change(serverId: string, put: readonly PinRecord[], removed: readonly PinRecord[]): Promise<void> {
    if (put.length + removed.length === 0) return;
    await this.#store.change(serverId, put, removed);
    const held = new Map(this.getHeld(serverId));
    for (const pin of [...put, ...removed]) held.delete(pinId(pin.kind, pin.key));
    for (const pin of put) this.#addPin(pin, held);
    this.#held.set(serverId, held);
    this.#trackHidden(serverId);
    const accepted = new Map(this.getAccepted(serverId));
    for (const pin of [...put, ...removed]) accepted.delete(pinId(pin.kind, pin.key));
    for (const pin of put) if (pin.accepted !== null) accepted.set(pinId(pin.kind, pin.key), pin.accepted);
    this.#accepted.set(serverId, accepted);
  }

  async #read(): Promise<void> {
    const pins = await this.#store.open();
    const accepted = new Map<string, Map<string, string>>();
    for (const pin of await this.#store.accepted()) {
      const known = accepted.get(pin.serverId) ?? new Map<string, string>();
      accepted.set(pin.serverId, known.set(pinId(pin.kind, pin.key), pin.accepted));
    }
    this.#accepted = accepted;
    this.#lists = new Set();
    const byServer = new Map<string, Map<string, PinRecord>>();
    for (const pin of pins) {
      const held = byServer.get(pin.serverId) ?? new Map<string, PinRecord>();
      byServer.set(pin.serverId, held);
      this.#addPin(pin, held);
    }
    this.#held = byServer;
    for (const serverId of [...this.serversWithHidden, ...byServer.keys()]) this.#trackHidden(serverId);
  }

  #trackHidden(serverId: string): void {
    if (this.getHeld(serverId).size + this.getHidden(serverId).size > 0) this.serversWithHidden.add(serverId);
    else this.serversWithHidden.delete(serverId);
  }

  #addPin(pin: PinRecord, held: Map<string, PinRecord>): void {
    if (pin.held !== null) held.set(pinId(pin.kind, pin.key), pin);
    if (pin.key !== WHOLE_LIST) return;
    this.#lists.add(pin.serverId).add(pinId(pin.serverId, pin.kind));
  }
}

/** The pins that await a decision. */
export function listWaiting(held: ReadonlyMap<string, PinRecord>): readonly PinRecord[] {
  return [...held.values()].filter(isWaiting);
}

function pinId(kind: string, key: string): string {
  return `${kind}\0${key}`;
}

/** The held definitions of a server under its current definition; none if it is not pinned. */
export function getHeldPins(
  { definition }: { readonly definition: Definition },
  settings: Pick<Settings, "mcp">,
  pins: Pick<Pins, "getHeld">,
): ReadonlyMap<string, PinRecord> {
  return isPinned(definition, settings) ? pins.getHeld(definition.record.id) : NO_PINS;
}

/** Tells callers about a held tool without anything that its server said. */
export function describeHeld(server: string): string {
  return `mcp server ${server} changed or added this tool, and nobody has accepted it yet: toolkeep server changes ${server}`;
}

/** Whether a person must accept what the server publishes before it counts. */
export function isPinned({ config }: Pick<Definition, "config">, { mcp }: Pick<Settings, "mcp">): boolean {
  if (config.pin !== null) return config.pin;
  return mcp.pin === "untrusted" ? !config.trusted : mcp.pin;
}
