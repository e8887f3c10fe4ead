import type { AuditChain } from "../contract.ts";
import type { AuditMark } from "./audit-mark.ts";
import type { AuditStore, ChainPlace } from "./audit-store.ts";
import type { ChainKey } from "./chain-code.ts";
import { type FoundHead, type Head, readHead } from "./head-file.ts";

/**
 * Why a process writes where it does. `continued`: on from the head. `new`: the first of this home. `restored`: a backup
 * took the place of what was there. Everything else is a break that somebody should look at.
 */
export type Reason =
  | "new"
  | "continued"
  | "restored"
  /** The file with the head is gone, or holds none that was made with this key. */
  | "head_missing"
  | "head_invalid"
  /** It is older than the one that is known to have been there. */
  | "head_old"
  /** There is neither a head nor a record, and there were some. */
  | "emptied"
  /** The store ends before the head, has something else at its place, or does not know its chain. */
  | "truncated"
  | "altered"
  | "unknown_chain"
  /** The key that the chain was written with cannot be read. */
  | "key_lost"
  /** Somebody else wrote to the chain at the same time. */
  | "conflict";

const AS_IT_SHOULD: readonly Reason[] = ["new", "continued", "restored"];

export function isBreak(reason: Reason): boolean {
  return !AS_IT_SHOULD.includes(reason);
}

export interface Opening {
  readonly reason: Reason;
  /** What is gone on with; undefined: a new chain begins. */
  readonly goesOn?: { readonly chain: AuditChain; readonly from: ChainPlace };
  /** What the file said, where it said something. */
  readonly head?: Head;
}

export interface OpenChainDeps {
  readonly store: AuditStore;
  readonly key: ChainKey;
  readonly home: string;
  /** On a machine that others write to the same store from, it tells whose a chain is. */
  readonly label: string;
  /** Nobody but this home writes to the store. */
  readonly alone: boolean;
  /** What else is known about the chains; absent: nothing is. */
  readonly mark?: Pick<AuditMark, "read" | "set">;
}

/** Where a home goes on writing, and whether what it finds is what it left. Writes nothing. */
export async function openChain(deps: OpenChainDeps): Promise<Opening> {
  const found = await readHead(deps.home, deps.key);
  if (found.kind !== "head") return { reason: await withoutHead(found, deps) };
  const { head } = found;
  const chain = await deps.store.chain(head.chain);
  if (!chain) return { reason: "unknown_chain", head };
  if (chain.keyId !== deps.key.id) return { reason: "key_lost", head };
  const from = (await deps.store.tail(chain.id)) ?? prunedPlace(chain);
  const reached = (await deps.mark?.read())?.reached[chain.id] ?? 0;
  const problem =
    (await problemOf(head, chain, from, deps.store)) ?? (head.seq < reached ? "head_old" : undefined);
  return problem ? { reason: problem, head } : { reason: "continued", head, goesOn: { chain, from } };
}

/** However many there are: one for each home, and for each break. */
export async function* allChains(store: Pick<AuditStore, "chains">): AsyncGenerator<AuditChain> {
  for (let after: AuditChain | undefined; ; ) {
    const page = await store.chains(after);
    yield* page;
    after = page.at(-1);
    if (!after) return;
  }
}

export function prunedPlace({ prunedSeq, prunedMac }: AuditChain): ChainPlace {
  return { seq: prunedSeq, mac: prunedMac };
}

async function withoutHead(found: FoundHead, deps: OpenChainDeps): Promise<Reason> {
  let own = 0;
  let all = 0;
  for await (const { label, keyId } of allChains(deps.store)) {
    all += 1;
    if (!deps.alone && label !== deps.label) continue;
    if (keyId !== deps.key.id) return "key_lost";
    own += 1;
  }
  if (found.kind === "invalid") return "head_invalid";
  if (own > 0) return "head_missing";
  return all === 0 && (await deps.mark?.read()) ? "emptied" : "new";
}

/** What was written after the head is there because a crash came between the two: the head only ever lags. */
async function problemOf(
  head: Head,
  chain: AuditChain,
  last: ChainPlace,
  store: AuditStore,
): Promise<Reason | undefined> {
  if (last.seq < head.seq) return "truncated";
  if (head.seq <= chain.prunedSeq) return undefined;
  const mac = last.seq === head.seq ? last.mac : await macAt(store, chain.id, head.seq);
  if (mac === undefined) return "truncated";
  return mac === head.mac ? undefined : "altered";
}

async function macAt(store: AuditStore, chain: string, seq: number): Promise<string | undefined> {
  const { calls, entries } = await store.read(chain, seq - 1, 1);
  const at = [...entries, ...calls].find((each) => each.seq === seq);
  return at?.mac ?? undefined;
}
