import type { Clock } from "../../lib/clock.ts";
import { createSerial } from "../../lib/flow/serial.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { PinKind, PinRecord, PinStore } from "../../machine/db/tables/sources/pin-record.ts";
import type { ServerRequest } from "../connection/call.ts";
import type { Definition } from "../lifecycle/definition.ts";
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
const NO_NAMES: ReadonlySet<string> = new Set();
const NONE_ACCEPTED: ReadonlyMap<string, string> = new Map();
/** Reading and changing wait for each other. */
const PINS = "pins";

/** What was accepted of servers, in the store, and what is kept back, in memory too. */
export class Pins {
  readonly #store: PinStore;
  readonly #clock: Clock;
  readonly #live: { readonly settings: Settings };
  readonly #serial = createSerial();
  /** Per server, by kind and key. */
  #held = new Map<string, ReadonlyMap<string, PinRecord>>();
  readonly #waiting = new WeakMap<ReadonlyMap<string, PinRecord>, number>();
  /** The servers of which anything is kept back: of all others, whatever is asked for may go there. */
  readonly keepingBack = new Set<string>();
  /** Per server, by kind and key: fingerprints. */
  #accepted = new Map<string, ReadonlyMap<string, string>>();
  /** Per server, by their own names: tools of its last list that nobody may see. */
  readonly #keptBack = new Map<string, ReadonlySet<string>>();
  /** The lists that have been accepted once. */
  #lists = new Set<string>();

  /** Knows nothing before its first `reload`. */
  constructor(store: PinStore, clock: Clock, live: { readonly settings: Settings }) {
    this.#store = store;
    this.#clock = clock;
    this.#live = live;
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

  /** Why a request may not go to the server: what it names is kept back. */
  refusal(definition: Definition, { method, params }: ServerRequest): string | undefined {
    const { id, name } = definition.record;
    const isHeld =
      method === "tools/call"
        ? this.isToolHeld(id, String(params.name))
        : method === "prompts/get" && this.isHeld(id, "prompt", String(params.name));
    return isHeld && isPinned(definition, this.#live.settings) ? heldReason(name) : undefined;
  }

  /** Whether nobody may see or call a tool, as long as its server is pinned. */
  isToolHeld(serverId: string, ownName: string): boolean {
    return this.isHeld(serverId, "tool", ownName) || this.keptBackOf(serverId).has(ownName);
  }

  /** Of the tools as they were made last, those that nobody may see, by their own names. */
  keptBackOf(serverId: string): ReadonlySet<string> {
    return this.#keptBack.get(serverId) ?? NO_NAMES;
  }

  setKeptBack(serverId: string, ownNames: ReadonlySet<string>): void {
    if (ownNames.size > 0) this.#keptBack.set(serverId, ownNames);
    else this.#keptBack.delete(serverId);
    this.#note(serverId);
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
    this.#note(serverId);
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
    for (const serverId of [...this.keepingBack, ...byServer.keys()]) this.#note(serverId);
  }

  #note(serverId: string): void {
    if (this.heldOf(serverId).size + this.keptBackOf(serverId).size > 0) this.keepingBack.add(serverId);
    else this.keepingBack.delete(serverId);
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

/** What is kept back of a server as it is defined now. */
export function heldOf(
  { definition }: { readonly definition: Definition },
  settings: Pick<Settings, "mcp">,
  pins: Pick<Pins, "heldOf">,
): ReadonlyMap<string, PinRecord> {
  return isPinned(definition, settings) ? pins.heldOf(definition.record.id) : NONE;
}

/** What callers are told of a tool that waits for a person: nothing that its server said. */
export function heldReason(server: string): string {
  return `mcp server ${server} changed or added this tool, and nobody has accepted it yet: toolkeep server changes ${server}`;
}

/** Whether what a server publishes counts only once a person has accepted it. */
export function isPinned({ config }: Pick<Definition, "config">, { mcp }: Pick<Settings, "mcp">): boolean {
  if (config.pin !== null) return config.pin;
  return mcp.pin === "untrusted" ? !config.trusted : mcp.pin;
}
