import { createHash } from "node:crypto";
import { createPace } from "../../lib/flow/pace.ts";
import { PIN_KINDS, type PinRecord } from "../../machine/db/tables/sources/pin-record.ts";
import { isWaiting } from "./compare-pins.ts";
import { definitionDiff, type FieldChange } from "./definition-diff.ts";
import { revealed } from "./definitions/clean-text.ts";
import { type Finding, type Others, scanDefinition } from "./definitions/scan-text.ts";

/** What a server publishes that nobody has accepted, as people see it. */
export interface ServerChangeView {
  readonly kind: PinRecord["kind"];
  /** As its server calls it, with nothing invisible. */
  readonly name: string;
  /** The name that it has, or would have, for agents; absent for what is no tool. */
  readonly tool?: string;
  readonly what: "new" | "changed";
  readonly state: "waiting" | "rejected";
  readonly since: number;
  readonly fields: readonly FieldChange[];
  /** What to look at in it. */
  readonly findings: readonly Finding[];
}

/** `version` changes with them: what a person looked at, for accepting and rejecting. */
export interface ServerChanges {
  readonly version: string;
  readonly changes: readonly ServerChangeView[];
}

/** In slices: a server may publish thousands that nobody has accepted. */
export async function changesOf(
  held: Iterable<PinRecord>,
  toolName: (ownName: string) => string | undefined,
  others: Others,
): Promise<ServerChanges> {
  const pins = [...held].sort(byKindAndKey);
  const changes: ServerChangeView[] = [];
  const pace = createPace();
  for (const pin of pins) {
    changes.push(changeOf(pin, pin.kind === "tool" ? toolName(pin.key) : undefined, others));
    await pace();
  }
  return { version: versionOf(pins), changes };
}

function changeOf(pin: PinRecord, tool: string | undefined, others: Others): ServerChangeView {
  return {
    kind: pin.kind,
    name: revealed(pin.key),
    ...(tool === undefined ? {} : { tool }),
    what: pin.accepted === null ? "new" : "changed",
    state: isWaiting(pin) ? "waiting" : "rejected",
    since: pin.changedAt,
    fields: definitionDiff(pin.acceptedAs, pin.heldAs ?? {}),
    findings: scanDefinition(pin.heldAs, others),
  };
}

function byKindAndKey(a: PinRecord, b: PinRecord): number {
  const kinds = PIN_KINDS.indexOf(a.kind) - PIN_KINDS.indexOf(b.kind);
  return kinds !== 0 ? kinds : a.key < b.key ? -1 : 1;
}

export function versionOf(pins: readonly PinRecord[]): string {
  const parts = pins.map(({ kind, key, held }) => `${kind}\0${key}\0${held}`).sort();
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 12);
}
