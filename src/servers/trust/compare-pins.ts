import { createPace } from "../../lib/flow/pace.ts";
import type { PinKind, PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import { acceptedPart, type Fields, fingerprintOf } from "./fingerprint.ts";

/** Something that a server publishes, by its name there. */
export interface Published {
  readonly key: string;
  readonly definition: Fields;
}

export interface Comparison {
  readonly serverId: string;
  readonly kind: PinKind;
  /** Every pin of the server and kind. */
  readonly pins: readonly PinRecord[];
  /** What was known of the server before; undefined where it was never listed. */
  readonly before: readonly Published[] | undefined;
  readonly after: readonly Published[];
  /** It is all that the server publishes: what is not in it has gone. */
  readonly isWhole: boolean;
  readonly now: number;
}

export interface Compared {
  /** Pins that are new or different now. */
  readonly put: readonly PinRecord[];
  readonly gone: readonly PinRecord[];
  /** Of those, the ones that nobody has been asked about. */
  readonly asking: readonly PinRecord[];
}

/** The pin that says that a list has been accepted as it was. */
export const WHOLE_LIST = "";

/**
 * What a list means for what was accepted. The first one is accepted as it is: what was known before counts as the
 * first. However long the lists are, others get their turn meanwhile.
 */
export async function comparePins(comparison: Comparison): Promise<Compared> {
  const { serverId, kind, after, isWhole, now } = comparison;
  const pins = new Map(comparison.pins.map((pin) => [pin.key, pin]));
  const blank = {
    serverId,
    kind,
    accepted: null,
    acceptedAs: null,
    held: null,
    heldAs: null,
    rejected: null,
  };
  const changed = new Map<string, PinRecord>();
  const change = (pin: PinRecord) => {
    pins.set(pin.key, pin);
    changed.set(pin.key, pin);
  };
  const pace = createPace();

  const isFirst = !pins.has(WHOLE_LIST);
  if (isFirst) {
    change({ ...blank, key: WHOLE_LIST, changedAt: now });
    for (const { key, definition } of comparison.before ?? after) {
      change({ ...blank, key, accepted: fingerprintOf(kind, definition), changedAt: now });
      await pace();
    }
  }

  const before = new Map(comparison.before?.map(({ key, definition }) => [key, definition]));
  const kept = ({ key, accepted, acceptedAs }: PinRecord) => {
    const was = before.get(key);
    if (acceptedAs !== null || was === undefined || fingerprintOf(kind, was) !== accepted) return acceptedAs;
    return acceptedPart(kind, was);
  };
  for (const { key, definition } of after) {
    const found = fingerprintOf(kind, definition);
    const pin = pins.get(key) ?? { ...blank, key, changedAt: now };
    if (pin.accepted !== found && pin.held !== found) {
      const heldAs = acceptedPart(kind, definition);
      change({ ...pin, acceptedAs: kept(pin), held: found, heldAs, changedAt: now });
    } else if (isWhole && pin.accepted === found && (pin.held ?? pin.acceptedAs) !== null) {
      change({ ...pin, acceptedAs: null, held: null, heldAs: null, changedAt: now });
    }
    await pace();
  }

  const gone: PinRecord[] = [];
  if (isWhole) {
    const keys = new Set(after.map(({ key }) => key));
    for (const pin of [...pins.values()]) {
      if (pin.key === WHOLE_LIST || keys.has(pin.key)) continue;
      if (pin.accepted === null && pin.rejected === null) gone.push(pin);
      else if (pin.held !== null || kept(pin) !== pin.acceptedAs)
        change({ ...pin, acceptedAs: kept(pin), held: null, heldAs: null, changedAt: now });
    }
  }
  const put = [...changed.values()];
  return { put, gone, asking: put.filter(isWaiting) };
}

/** Whether a person has yet to decide. */
export function isWaiting({ held, rejected }: PinRecord): boolean {
  return held !== null && held !== rejected;
}
