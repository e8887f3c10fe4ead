import type { Capability } from "../../../../contract/tool.ts";

export const PIN_KINDS = ["tool", "resource_template", "prompt", "instructions"] as const;
export type PinKind = (typeof PIN_KINDS)[number];

type Definition = Readonly<Record<string, unknown>>;

/** What was accepted of something that a server publishes, and what it publishes in its place. */
export interface PinRecord {
  readonly serverId: string;
  readonly kind: PinKind;
  /** Its name at the server; empty: the list of this kind as a whole, which has been accepted once. */
  readonly key: string;
  /** The fingerprint of what was accepted; null: nothing of it ever was. */
  readonly accepted: string | null;
  /** What was accepted, kept from the moment that the server publishes something else. */
  readonly acceptedAs: Definition | null;
  /** The fingerprint of what is kept from everybody until a person has decided; null: nothing is. */
  readonly held: string | null;
  readonly heldAs: Definition | null;
  /** The fingerprint that a person said no to: nobody is asked about it again. */
  readonly rejected: string | null;
  readonly changedAt: number;
}

export type AcceptedPin = Pick<PinRecord, "serverId" | "kind" | "key"> & { readonly accepted: string };

export interface PinStore {
  /** Those that hold something back, and those of whole lists. */
  open(): Promise<PinRecord[]>;
  /** The fingerprint of everything that was accepted, of all servers. */
  accepted(): Promise<AcceptedPin[]>;
  /** All of one server, by kind and key. */
  of(serverId: string): Promise<PinRecord[]>;
  /** Puts some, replacing what there was, and takes others away, at once. */
  change(
    serverId: string,
    put: readonly PinRecord[],
    gone: readonly Pick<PinRecord, "kind" | "key">[],
  ): Promise<void>;
  deleteAll(serverId: string): Promise<void>;
}

/** What a person said that a tool of a server can do, whatever its definition says. */
export interface ToolCapabilitiesRecord {
  readonly serverId: string;
  readonly originalName: string;
  readonly capabilities: readonly Capability[];
  readonly setAt: number;
}

export interface ToolCapabilitiesStore {
  list(): Promise<ToolCapabilitiesRecord[]>;
  /** A new one replaces the old. */
  put(record: ToolCapabilitiesRecord): Promise<void>;
  /** Also where there is none. */
  delete(serverId: string, originalName: string): Promise<void>;
}
