import { createHash } from "node:crypto";
import { createPace } from "../../lib/flow/pace.ts";
import { PIN_KINDS, type PinRecord } from "../records.ts";
import { isWaiting } from "./compare-pins.ts";
import type { ServerChanges, ServerChangeView } from "./contract.ts";
import { diffDefinitions } from "./definition-diff.ts";
import { revealHidden } from "./definitions/clean-text.ts";
import { type ForeignNames, scanDefinition } from "./definitions/scan-text.ts";

/** Yields regularly: a server may publish thousands of definitions that nobody has accepted. */
export async function describeChanges(
  held: Iterable<PinRecord>,
  toolName: (ownName: string) => string | undefined,
  others: ForeignNames,
): Promise<ServerChanges> {
  const pins = [...held].sort(compareKindAndKey);
  const changes: ServerChangeView[] = [];
  const pace = createPace();
  for (const pin of pins) {
    changes.push(describeChange(pin, pin.kind === "tool" ? toolName(pin.key) : undefined, others));
    await pace();
  }
  return { version: computeVersion(pins), changes };
}

function describeChange(pin: PinRecord, tool: string | undefined, others: ForeignNames): ServerChangeView {
  return {
    kind: pin.kind,
    name: revealHidden(pin.key),
    ...(tool === undefined ? {} : { tool }),
    what: pin.accepted === null ? "new" : "changed",
    state: isWaiting(pin) ? "waiting" : "rejected",
    since: pin.changedAt,
    fields: diffDefinitions(pin.acceptedAs, pin.heldAs ?? {}),
    findings: scanDefinition(pin.heldAs, others),
  };
}

function compareKindAndKey(a: PinRecord, b: PinRecord): number {
  const kinds = PIN_KINDS.indexOf(a.kind) - PIN_KINDS.indexOf(b.kind);
  return kinds !== 0 ? kinds : a.key < b.key ? -1 : 1;
}

export function computeVersion(pins: readonly PinRecord[]): string {
  const parts = pins.map(({ kind, key, held }) => `${kind}\0${key}\0${held}`).sort();
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
}
