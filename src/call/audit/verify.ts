import { createPace } from "../../lib/flow/pace.ts";
import type { AuditStore, ChainPlace } from "./chain/audit-store.ts";
import type { Chain } from "./chain/chain.ts";
import type { ChainKey } from "./chain/chain-code.ts";
import { type Head, readHead } from "./chain/head-file.ts";
import { LinkCheck, readLinks, type StoredLink } from "./chain/links.ts";
import { allChains, isBreak, prunedPlace, type Reason } from "./chain/open-chain.ts";
import type { AuditChain, AuditEntry, AuditFinding, Verification, VerifiedChain } from "./contract.ts";
import { saying } from "./findings.ts";
import { Found } from "./found.ts";

export interface VerifyDeps {
  readonly store: AuditStore;
  readonly key: ChainKey;
  readonly home: string;
  /** The chain of this process. */
  readonly own: Pick<Chain, "head" | "opening" | "hasWritten" | "settled">;
  readonly onProgress?: (checked: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export const ACKNOWLEDGED = "audit.acknowledged";

/** Reads the whole audit and compares it with its codes and with the head. Bounded memory, and everybody else has their turn. */
export async function verifyAudit(deps: VerifyDeps): Promise<Verification> {
  return new Verifying(deps).run();
}

class Verifying {
  readonly #deps: VerifyDeps;
  readonly #found = new Found();
  /** How far a chain is known to have come, by what others say of it. */
  readonly #witnessed = new Map<string, Head>();
  readonly #pace = createPace();
  #checked = 0;
  #unreadable = 0;
  #total = 0;
  #lost = 0;
  #unchained: number | undefined;

  constructor(deps: VerifyDeps) {
    this.#deps = deps;
  }

  async run(): Promise<Verification> {
    const { store, own } = this.#deps;
    // Before anything is read: what is written from now on only adds to it.
    const head = own.head ?? own.opening.head;
    if (head) this.#witness(head);
    await this.#checkHead();
    for await (const chain of allChains(store))
      this.#total += (await this.#last(chain)).seq - chain.prunedSeq;
    const verified: VerifiedChain[] = [];
    for await (const chain of allChains(store)) verified.push(await this.#chain(chain));
    for (const { id, records } of await store.unknownChains())
      this.#find("foreign", id, saying.unknown(records));
    await this.#checkWitnessed();
    const unchained = await store.unchained();
    if (this.#unchained !== undefined && unchained > this.#unchained)
      this.#find("foreign", "calls", saying.unchained(unchained, this.#unchained));
    return {
      ...this.#found.result,
      checked: this.#checked,
      chains: verified,
      unreadable: this.#unreadable,
      unchained,
      lost: this.#lost,
    };
  }

  /** The file as it is now, beside what this process has written or found. */
  async #checkHead(): Promise<void> {
    const { home, key, own } = this.#deps;
    if (!own.hasWritten) {
      const { reason, head } = own.opening;
      if (isBreak(reason)) this.#find("head", head?.chain ?? "head", saying.break(reason));
      else if (head) await this.#checkSameHead(head);
      return;
    }
    const { chain, seq } = own.head!;
    await own.settled();
    const found = await readHead(home, key);
    const place = `${chain}:${seq}`;
    if (found.kind === "none") this.#find("head", place, saying.headMissing());
    else if (found.kind === "invalid") this.#find("head", place, saying.headInvalid());
    else if (found.head.chain !== chain || found.head.seq < seq)
      this.#find("head", place, saying.headOther());
  }

  async #checkSameHead(head: Head): Promise<void> {
    const found = await readHead(this.#deps.home, this.#deps.key);
    const isSame = found.kind === "head" && found.head.chain === head.chain && found.head.seq >= head.seq;
    if (!isSame) this.#find("head", head.chain, saying.headGone());
  }

  async #chain(chain: AuditChain): Promise<VerifiedChain> {
    const { own } = this.#deps;
    const { id, label, createdAt, prunedSeq } = chain;
    const isOwn = (own.head ?? own.opening.head)?.chain === id;
    const verified = { id, label, createdAt, prunedSeq, own: isOwn };
    const key = this.#deps.key.named(chain.keyId);
    if (!key) {
      const { seq } = await this.#last(chain);
      this.#unreadable += seq - prunedSeq;
      this.#find("unreadable", id, saying.unreadable(seq));
      return { ...verified, lastSeq: seq };
    }
    const code = key.ofChain(chain);
    if (chain.mac !== code) this.#find("altered", id, saying.checkpoint(prunedSeq, code));
    const lastSeq = await this.#links(chain, key);
    if (lastSeq === 0) this.#find("truncated", id, saying.empty());
    return { ...verified, lastSeq };
  }

  /** Resolves with its last place. */
  async #links(chain: AuditChain, key: ChainKey): Promise<number> {
    const { store, onProgress, signal } = this.#deps;
    const check = new LinkCheck(key, chain);
    for await (const links of readLinks(store, chain.id, chain.prunedSeq)) {
      for (const link of links) {
        const problems = check.next(link);
        for (const problem of problems) {
          const { kind, seq, callId } = problem;
          if (kind === "missing" && (await this.#wasPruned(chain.id, problem.to))) continue;
          const text = kind === "missing" ? saying.missing(seq, problem.to) : saying[kind](seq, problem.code);
          this.#find(kind === "doubled" ? "foreign" : kind, `${chain.id}:${seq}`, text, callId);
        }
        if (link.entry && problems.length === 0) this.#understand(link.entry);
        this.#checked += 1;
        await this.#pace();
      }
      await this.#checkIntents(chain.id, links);
      onProgress?.(this.#checked, this.#total);
      signal?.throwIfAborted();
    }
    return check.seq;
  }

  /** Only what stands as it was written is believed. */
  #understand({ chain, seq, kind, subject, details }: AuditEntry): void {
    if (kind === ACKNOWLEDGED && subject !== null) this.#found.acknowledge(subject, details);
    if (kind === "lost") this.#lost += (JSON.parse(details) as { count: number }).count;
    if (kind !== "opened") return;
    const opened = JSON.parse(details) as { reason: Reason; heads?: Head[]; unchained?: number };
    for (const head of opened.heads ?? []) this.#witness(head);
    if (opened.unchained !== undefined)
      this.#unchained = Math.min(opened.unchained, this.#unchained ?? opened.unchained);
    if (isBreak(opened.reason)) this.#find("break", `${chain}:${seq}`, saying.break(opened.reason));
  }

  /** A beginning that is removed while it is read is nobody's mischief. */
  async #wasPruned(id: string, to: number): Promise<boolean> {
    const now = await this.#deps.store.chain(id);
    return (
      now !== undefined && now.mac === this.#deps.key.named(now.keyId)?.ofChain(now) && now.prunedSeq >= to
    );
  }

  async #checkIntents(chain: string, links: readonly StoredLink[]): Promise<void> {
    const intents = links.filter(({ entry }) => entry?.kind === "intent" && entry.subject !== null);
    const known = await this.#deps.store.known(intents.map(({ entry }) => entry!.subject!));
    for (const { seq, entry } of intents) {
      const id = entry!.subject!;
      if (!known.has(id) && !(await this.#wasPruned(chain, seq)))
        this.#find("missing", `${chain}:${seq}`, saying.lostCall(seq, id), id);
    }
  }

  #witness(head: Head): void {
    const known = this.#witnessed.get(head.chain);
    if (!known || known.seq < head.seq) this.#witnessed.set(head.chain, head);
  }

  async #checkWitnessed(): Promise<void> {
    const { store, key } = this.#deps;
    for (const head of this.#witnessed.values()) {
      const chain = await store.chain(head.chain);
      if (!chain) this.#find("truncated", head.chain, saying.gone(head.seq));
      else if (key.named(chain.keyId)) await this.#checkReaches(chain, head);
    }
  }

  async #checkReaches(chain: AuditChain, head: Head): Promise<void> {
    if (head.seq <= chain.prunedSeq) return;
    const { seq } = await this.#last(chain);
    const place = `${chain.id}:${head.seq}`;
    if (seq < head.seq) return this.#find("truncated", place, saying.truncated(seq, head.seq));
    const { calls, entries } = await this.#deps.store.read(chain.id, head.seq - 1, 1);
    const at = [...entries, ...calls].find((each) => each.seq === head.seq);
    // Where nothing stands any more, that is found already.
    if (at && at.mac !== head.mac) this.#find("altered", place, saying.replaced(head.seq, at.mac ?? ""));
  }

  async #last(chain: AuditChain): Promise<ChainPlace> {
    return (await this.#deps.store.tail(chain.id)) ?? prunedPlace(chain);
  }

  #find(kind: AuditFinding["kind"], place: string, message: string, callId?: string): void {
    this.#found.add({ kind, place, message, ...(callId !== undefined && { callId }) });
  }
}
