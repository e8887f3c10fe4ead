import type { RecordRange } from "../call-store.ts";
import type { AuditChain, AuditEntry, CallRecord } from "../contract.ts";

/** A place in a chain, with the code that stands there. */
export interface ChainPlace {
  readonly seq: number;
  readonly mac: string;
}

export interface AuditBatch {
  /** Written first where the chain begins with this batch. */
  readonly chain?: AuditChain | undefined;
  readonly calls: readonly CallRecord[];
  readonly entries: readonly AuditEntry[];
}

export interface EntryFilter extends RecordRange<EntryPlace> {
  /** Only these kinds; a `*` at the end stands for anything. */
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
  readonly subject?: string | undefined;
}

export interface EntryPlace {
  readonly at: number;
  readonly chain: string;
  readonly seq: number;
}

/** One for each key of the vault that the store was opened with. */
export interface SealedAuditKey {
  /** From 1. */
  readonly id: number;
  readonly sealed: Uint8Array;
}

export interface AuditStore {
  /** All or nothing. A call replaces the row of the same id: an intent becomes a record. NAME_TAKEN: a place is taken. */
  append(batch: AuditBatch): Promise<void>;
  chain(id: string): Promise<AuditChain | undefined>;
  /** In the order in which they began, those that follow `after`, at most 1,000. */
  chains(after?: Pick<AuditChain, "createdAt" | "id">): Promise<AuditChain[]>;
  /** Those that began last, in the order in which they did. */
  newestChains(limit: number): Promise<AuditChain[]>;
  /** The last place of a chain that is in the store; undefined: none is. */
  tail(chain: string): Promise<ChainPlace | undefined>;
  /** What stands at places beyond `after`, in their order, at most `limit` of calls and of entries each. */
  read(chain: string, after: number, limit: number): Promise<Pick<AuditBatch, "calls" | "entries">>;
  /** Chains that records name and nobody began, with the count of their records; at most 100. */
  unknownChains(): Promise<{ readonly id: string; readonly records: number }[]>;
  /** Of these calls, those that are in a chain. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** When the oldest record, of a call or not, was made; undefined: there is none. */
  oldest(): Promise<number | undefined>;
  /** How many calls belong to no chain: from before there were chains. */
  unchained(): Promise<number>;
  /** Entries but no calls, at most 1,000. */
  list(filter: EntryFilter): Promise<AuditEntry[]>;
  /**
   * Removes everything of the chain up to its `prunedSeq`, which is that of `chain`. Throws CHANGED where it was `was`
   * no longer.
   */
  prune(chain: AuditChain, was: number): Promise<void>;
  /** The keys of the codes, sealed by the vault, in the order in which they were made; the newest 100. */
  keys(): Promise<SealedAuditKey[]>;
  /** Keeps it, unless one has its id already. */
  addKey(key: SealedAuditKey, at: number): Promise<void>;
  /** The same key, sealed anew, where it still is as it `was`; resolves with whether it was. */
  replaceKey(key: SealedAuditKey, was: Uint8Array): Promise<boolean>;
}
