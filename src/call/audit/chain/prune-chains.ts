import { ToolkeepError } from "../../../contract/errors.ts";
import type { AuditChain } from "../contract.ts";
import type { AuditStore, ChainPlace } from "./audit-store.ts";
import type { ChainKey } from "./chain-code.ts";
import { LinkCheck, type LinkProblem, readLinks, type StoredLink } from "./links.ts";
import { allChains } from "./open-chain.ts";

export interface PruneDeps {
  readonly store: AuditStore;
  readonly key: ChainKey;
  /** The checkpoint of a chain is not as it was written: nothing of that chain is removed. */
  readonly onProblem: (chain: string, seq: number) => void;
  /** Keeps what is not as it was written in what is about to be removed, or nobody would ever know of it. */
  readonly keep: (chain: string, problem: LinkProblem) => Promise<void>;
}

/** Of what is wrong in one chain, so much is kept and removed at a time. */
const MAX_PROBLEMS = 100;

/**
 * Removes from the beginning of every chain what happened before `before`, about `limit` records at most, and leaves a
 * checkpoint behind that only the key can make. Resolves with how many it removed. What stands behind something newer
 * goes with it.
 */
export async function pruneChains(deps: PruneDeps, before: number, limit: number): Promise<number> {
  let removed = 0;
  for await (const chain of allChains(deps.store)) {
    if (removed >= limit) break;
    removed += await pruneChain(deps, chain, before, limit - removed);
  }
  return removed;
}

async function pruneChain(
  { store, key, onProblem, keep }: PruneDeps,
  chain: AuditChain,
  before: number,
  limit: number,
): Promise<number> {
  // What was written with a key that is lost cannot be judged, and does not stay for ever either.
  const own = key.named(chain.keyId);
  // A checkpoint that somebody moved would be made good by the next one.
  if (own && chain.mac !== own.ofChain(chain)) {
    onProblem(chain.id, chain.prunedSeq);
    return 0;
  }
  const check = own ? new LinkCheck(own, chain) : undefined;
  let last: ChainPlace = { seq: chain.prunedSeq, mac: chain.prunedMac };
  const problems: LinkProblem[] = [];
  const goesOn = (link: StoredLink): boolean => {
    if (timeOf(link) >= before || link.seq - chain.prunedSeq > limit) return false;
    const found = check?.next(link) ?? [];
    // A checkpoint stands at what is as it was written: what follows is judged by it.
    if (found.length === 0) last = { seq: link.seq, mac: (link.entry ?? link.call)!.mac! };
    problems.push(...found);
    return problems.length < MAX_PROBLEMS;
  };
  for await (const links of readLinks(store, chain.id, chain.prunedSeq)) if (!links.every(goesOn)) break;
  if (last.seq === chain.prunedSeq) return 0;
  for (const problem of problems) if (problem.seq <= last.seq) await keep(chain.id, problem);
  const pruned = { ...chain, prunedSeq: last.seq, prunedMac: last.mac };
  try {
    await store.prune(own ? { ...pruned, mac: own.ofChain(pruned) } : pruned, chain.prunedSeq);
  } catch (error) {
    // Another daemon was faster.
    if (error instanceof ToolkeepError && error.code === "CHANGED") return 0;
    throw error;
  }
  return last.seq - chain.prunedSeq;
}

function timeOf({ call, entry }: StoredLink): number {
  return entry?.at ?? call!.startedAt;
}
