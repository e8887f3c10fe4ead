import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { PinKind, PinRecord, PinStore } from "../../machine/db/tables/sources/pin-record.ts";
import { comparePins, isWaiting, type Published, WHOLE_LIST } from "./compare-pins.ts";

/** What a server publishes of one kind, and what was known of it. */
export interface Lists {
  readonly kind: PinKind;
  readonly before: readonly Published[];
  readonly after: readonly Published[];
  /** It is all that the server publishes: what is not in it has gone. */
  readonly isWhole: boolean;
}

export type Decision = "accept" | "reject";

const NONE: ReadonlyMap<string, PinRecord> = new Map();
const NONE_ACCEPTED: ReadonlyMap<string, string> = new Map();
/** Reading and changing wait for each other. */
const PINS = "pins";

/** What was accepted of servers, in the store, and what is kept back, in memory too. */
export class Pins {
  readonly #store: PinStore;
  readonly #clock: Clock;
  readonly #serial = createSerial();
  /** Per server, by kind and key. */
  #held = new Map<string, ReadonlyMap<string, PinRecord>>();
  readonly #waiting = new WeakMap<ReadonlyMap<string, PinRecord>, number>();
  /** Per server, by kind and key: fingerprints. */
  #accepted = new Map<string, ReadonlyMap<string, string>>();
  /** The lists that have been accepted once. */
  #lists = new Set<string>();

  /** Knows nothing before its first `reload`. */
  constructor(store: PinStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  reload(): Promise<void> {
    return this.#serial(PINS, () => this.#read());
  }

  /** What is kept back of a server, decided about or not; the same map until that changes. */
  heldOf(serverId: string): ReadonlyMap<string, PinRecord> {
    return this.#held.get(serverId) ?? NONE;
  }

  isHeld(serverId: string, kind: PinKind, key: string): boolean {
    return this.#held.get(serverId)?.has(pinId(kind, key)) ?? false;
  }

  /** What was accepted of a server, by kind and key; the same map until that changes. */
  acceptedOf(serverId: string): ReadonlyMap<string, string> {
    return this.#accepted.get(serverId) ?? NONE_ACCEPTED;
  }

  /** Whether nobody may see something, as its fingerprint says that it is: it waits, or it is not what was accepted. */
  keepsBack(serverId: string, kind: PinKind, key: string, fingerprint: () => string): boolean {
    if (this.isHeld(serverId, kind, key)) return true;
    return this.isKnown(serverId, kind) && this.acceptedOf(serverId).get(pinId(kind, key)) !== fingerprint();
  }

  /** How many decisions a person has yet to make. */
  waitingOf(serverId: string): number {
    const held = this.heldOf(serverId);
    const count = this.#waiting.get(held) ?? waitingIn(held).length;
    this.#waiting.set(held, count);
    return count;
  }

  hasAny(serverId: string): boolean {
    return this.heldOf(serverId).size > 0 || this.#lists.has(serverId);
  }

  /** Whether a list of this kind has been accepted. */
  isKnown(serverId: string, kind: PinKind): boolean {
    return this.#lists.has(pinId(serverId, kind));
  }

  /** Keeps back what was not accepted and lets through what is as it was, of all these lists at once. */
  compare(serverId: string, lists: readonly Lists[]): Promise<void> {
    return this.#serial(PINS, async () => {
      const known = await this.#store.of(serverId);
      const now = this.#clock();
      const put: PinRecord[] = [];
      const gone: PinRecord[] = [];
      for (const list of lists) {
        const pins = known.filter(({ kind }) => kind === list.kind);
        const before = list.before.length === 0 ? undefined : list.before;
        const compared = await comparePins({ ...list, serverId, pins, before, now });
        for (const pin of compared.put) put.push(pin);
        for (const pin of compared.gone) gone.push(pin);
      }
      await this.#change(serverId, put, gone);
    });
  }

  /** Only what is still as the person saw it; resolves with what was decided about. */
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

  /** Nothing of the server is pinned any more. */
  forget(serverId: string): Promise<void> {
    return this.#serial(PINS, async () => {
      await this.#store.deleteAll(serverId);
      await this.#read();
    });
  }

  async #change(serverId: string, put: readonly PinRecord[], gone: readonly PinRecord[]): Promise<void> {
    if (put.length + gone.length === 0) return;
    await this.#store.change(serverId, put, gone);
    const held = new Map(this.heldOf(serverId));
    for (const pin of [...put, ...gone]) held.delete(pinId(pin.kind, pin.key));
    for (const pin of put) this.#take(pin, held);
    this.#held.set(serverId, held);
    const accepted = new Map(this.acceptedOf(serverId));
    for (const pin of [...put, ...gone]) accepted.delete(pinId(pin.kind, pin.key));
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
      this.#take(pin, held);
    }
    this.#held = byServer;
  }

  #take(pin: PinRecord, held: Map<string, PinRecord>): void {
    if (pin.held !== null) held.set(pinId(pin.kind, pin.key), pin);
    if (pin.key !== WHOLE_LIST) return;
    this.#lists.add(pin.serverId).add(pinId(pin.serverId, pin.kind));
  }
}

/** Those that a person has yet to decide about. */
export function waitingIn(held: ReadonlyMap<string, PinRecord>): readonly PinRecord[] {
  return [...held.values()].filter(isWaiting);
}

function pinId(kind: string, key: string): string {
  return `${kind}\0${key}`;
}
