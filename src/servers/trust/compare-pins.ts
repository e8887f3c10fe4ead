import { createPace } from "../../lib/flow/pace.ts";
import type { PinKind, PinRecord } from "../records.ts";
import { computeFingerprint, type Fields, pickAccepted } from "./fingerprint.ts";

/** Something that a server publishes, with the server's name for it. */
export interface PublishedItem {
  readonly key: string;
  readonly definition: Fields;
}

export interface Comparison {
  readonly serverId: string;
  readonly kind: PinKind;
  /** All pins of this server and kind. */
  readonly pins: readonly PinRecord[];
  /** The items known before; undefined if the server was never listed. */
  readonly before: readonly PublishedItem[] | undefined;
  readonly after: readonly PublishedItem[];
  /** The list is complete: whatever is missing was withdrawn. */
  readonly isWhole: boolean;
  readonly now: number;
}

export interface PinChanges {
  /** Pins that are new or changed. */
  readonly put: readonly PinRecord[];
  readonly removed: readonly PinRecord[];
  /** Those of `put` that await a decision. */
  readonly waiting: readonly PinRecord[];
}

/** The key of the pin which says that a list of this kind has been accepted. */
export const WHOLE_LIST = "";

/**
 * Compares a list with what was accepted. The first list is accepted as it is, and what was known before counts as the
 * first. Yields regularly, so that long lists do not block other work.
 */
export async function comparePins(comparison: Comparison): Promise<PinChanges> {
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
      change({ ...blank, key, accepted: computeFingerprint(kind, definition), changedAt: now });
      await pace();
    }
  }

  const before = new Map(comparison.before?.map(({ key, definition }) => [key, definition]));
  const chooseAccepted = ({ key, accepted, acceptedAs }: PinRecord) => {
    const was = before.get(key);
    if (acceptedAs !== null || was === undefined || computeFingerprint(kind, was) !== accepted)
      return acceptedAs;
    return pickAccepted(kind, was);
  };
  for (const { key, definition } of after) {
    const fingerprint = computeFingerprint(kind, definition);
    const pin = pins.get(key) ?? { ...blank, key, changedAt: now };
    if (pin.accepted !== fingerprint && pin.held !== fingerprint) {
      const heldAs = pickAccepted(kind, definition);
      change({ ...pin, acceptedAs: chooseAccepted(pin), held: fingerprint, heldAs, changedAt: now });
    } else if (isWhole && pin.accepted === fingerprint && (pin.held ?? pin.acceptedAs) !== null) {
      change({ ...pin, acceptedAs: null, held: null, heldAs: null, changedAt: now });
    }
    await pace();
  }

  const removed: PinRecord[] = [];
  if (isWhole) {
    const keys = new Set(after.map(({ key }) => key));
    for (const pin of [...pins.values()]) {
      if (pin.key === WHOLE_LIST || keys.has(pin.key)) continue;
      if (pin.accepted === null && pin.rejected === null) removed.push(pin);
      else if (pin.held !== null || chooseAccepted(pin) !== pin.acceptedAs)
        change({ ...pin, acceptedAs: chooseAccepted(pin), held: null, heldAs: null, changedAt: now });
    }
  }
  const put = [...changed.values()];
  return { put, removed, waiting: put.filter(isWaiting) };
}

/** Whether a person has yet to decide. */
export function isWaiting({ held, rejected }: PinRecord): boolean {
  return held !== null && held !== rejected;
}
