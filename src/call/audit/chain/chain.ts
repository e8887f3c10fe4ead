import type { Clock } from "../../../lib/clock.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import type { NewId } from "../../../lib/id.ts";
import type { AuditChain, AuditEntry, CallRecord } from "../contract.ts";
import type { AuditBatch, ChainPlace } from "./audit-store.ts";
import { intentText } from "./chain-code.ts";
import { type Head, HeadFile } from "./head-file.ts";
import { type OpenChainDeps, type Opening, openChain, prunedPlace, type Reason } from "./open-chain.ts";

export interface ChainDeps extends OpenChainDeps {
  readonly clock: Clock;
  readonly newId: NewId;
  /** The head could not be written. */
  readonly onProblem: (error: unknown) => void;
}

/** What becomes the next link: an entry, the end of a call, or the intent of one, which is kept as an entry and as a row. */
export type Link =
  | { readonly entry: Omit<AuditEntry, "chain" | "seq" | "mac"> }
  | { readonly call: CallRecord; readonly isIntent: boolean };

interface Prepared extends AuditBatch {
  readonly after: ChainPlace;
}

/** Links that are computed without a pause; a hundred take less than a millisecond. */
const LINKS_A_TURN = 100;
const MAX_WITNESSED = 20;

/**
 * The chain that this process writes, and nobody else. What it writes is in one transaction; the head follows it. After
 * a write that failed nobody knows whether it happened, so that `settle` has to be asked first.
 */
export class Chain {
  readonly #deps: ChainDeps;
  readonly #headFile: HeadFile;
  #opening: Opening;
  /** Undefined until the first link of a new chain is written. */
  #chain: AuditChain | undefined;
  #at: ChainPlace;
  #saidOpened = false;
  #isMarked = false;
  #failed: Prepared | undefined;

  constructor(deps: ChainDeps, opening: Opening) {
    this.#deps = deps;
    this.#headFile = new HeadFile(deps.home, deps.key, deps.onProblem);
    this.#opening = opening;
    this.#chain = opening.goesOn?.chain;
    this.#at = opening.goesOn?.from ?? { seq: 0, mac: "" };
  }

  static async open(deps: ChainDeps): Promise<Chain> {
    return new Chain(deps, await openChain(deps));
  }

  /** What it found when it was opened. */
  get opening(): Opening {
    return this.#opening;
  }

  /** Whether anything was written since it was opened: the opening is a record then. */
  get hasWritten(): boolean {
    return this.#saidOpened;
  }

  /** How far it is; undefined: nothing was ever written. */
  get head(): Head | undefined {
    return this.#chain && { chain: this.#chain.id, ...this.#at };
  }

  /** Throws what the store throws. Never at the same time as another one. */
  async append(links: Iterable<Link>): Promise<void> {
    const prepared = await this.#prepare(links);
    try {
      await this.#deps.store.append(prepared);
    } catch (error) {
      this.#failed = prepared;
      throw error;
    }
    this.#wrote(prepared);
    if (!this.#isMarked) await this.mark();
  }

  /** Keeps sealed that there is a chain, and how far its head has come on disk. Never throws. */
  async mark(): Promise<void> {
    const { mark, onProblem } = this.#deps;
    if (!mark || !this.#chain) return;
    this.#isMarked = true;
    try {
      await mark.set(this.#chain.id, this.#headFile.written ?? this.#opening.head);
    } catch (error) {
      onProblem(error);
    }
  }

  /**
   * After an `append` that threw: whether it was written all the same. Where somebody else wrote in its place a new chain
   * begins. Throws while the store cannot be read.
   */
  async settle(): Promise<boolean> {
    const failed = this.#failed;
    if (!failed) return false;
    const chain = failed.chain ?? this.#chain!;
    const last = (await this.#deps.store.tail(chain.id)) ?? prunedPlace(chain);
    this.#failed = undefined;
    if (isSame(last, failed.after)) {
      this.#wrote(failed);
      return true;
    }
    if (!isSame(last, this.#at)) this.#beginAnew("conflict");
    return false;
  }

  /** Resolves when the head is on disk. */
  settled(): Promise<void> {
    return this.#headFile.settled();
  }

  #wrote({ chain, after }: Prepared): void {
    this.#chain ??= chain;
    this.#at = after;
    this.#saidOpened = true;
    this.#headFile.put({ chain: this.#chain!.id, ...after });
  }

  #beginAnew(reason: Reason): void {
    this.#opening = { reason, ...(this.head && { head: this.head }) };
    this.#chain = undefined;
    this.#at = { seq: 0, mac: "" };
    this.#saidOpened = false;
    this.#isMarked = false;
  }

  async #prepare(links: Iterable<Link>): Promise<Prepared> {
    const chain = this.#chain ?? this.#newChain();
    const opened = this.#saidOpened ? undefined : await this.#openedLink();
    const calls: CallRecord[] = [];
    const entries: AuditEntry[] = [];
    let { seq, mac } = this.#at;
    const pace = createPace();
    for (const link of withFirst(opened, links)) {
      seq += 1;
      const before = mac;
      if ("entry" in link || link.isIntent) {
        const entry = { ...("entry" in link ? link.entry : intentEntry(link.call)), chain: chain.id, seq };
        mac = this.#deps.key.ofEntry(before, entry);
        entries.push({ ...entry, mac });
        if ("call" in link) calls.push({ ...link.call, chain: chain.id, seq, mac });
      } else {
        mac = this.#deps.key.ofCall(before, link.call, { chain: chain.id, seq });
        calls.push({ ...link.call, chain: chain.id, seq, mac });
      }
      if (seq % LINKS_A_TURN === 0) await pace();
    }
    return { ...(this.#chain ? {} : { chain }), calls, entries, after: { seq, mac } };
  }

  #newChain(): AuditChain {
    const { key, label, clock, newId } = this.#deps;
    const chain = {
      id: newId("chn"),
      keyId: key.id,
      label,
      createdAt: clock(),
      prunedSeq: 0,
      prunedMac: "",
    };
    return { ...chain, mac: key.ofChain(chain) };
  }

  /** The first link of a process: what it found, and how far the newest of the other chains are, which are witnessed with it. */
  async #openedLink(): Promise<Link> {
    const { store, clock } = this.#deps;
    const { reason, head } = this.#opening;
    const own = this.#chain?.id;
    const newest = await store.newestChains(MAX_WITNESSED + 1);
    const others = newest.filter(({ id }) => id !== own).slice(-MAX_WITNESSED);
    const heads: Head[] = [];
    for (const chain of others)
      heads.push({ chain: chain.id, ...((await store.tail(chain.id)) ?? prunedPlace(chain)) });
    const details = {
      reason,
      ...(head && reason !== "continued" && { head }),
      ...(heads.length > 0 && { heads }),
      unchained: await store.unchained(),
    };
    return {
      entry: { kind: "opened", at: clock(), actor: null, subject: null, details: JSON.stringify(details) },
    };
  }
}

function intentEntry(call: CallRecord): Omit<AuditEntry, "chain" | "seq" | "mac"> {
  return {
    kind: "intent",
    at: call.startedAt,
    actor: call.agentId,
    subject: call.id,
    details: intentText(call),
  };
}

function* withFirst(first: Link | undefined, rest: Iterable<Link>): Generator<Link> {
  if (first) yield first;
  yield* rest;
}

function isSame(a: ChainPlace, b: ChainPlace): boolean {
  return a.seq === b.seq && a.mac === b.mac;
}
