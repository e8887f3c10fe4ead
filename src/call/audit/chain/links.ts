import type { AuditChain, AuditEntry, CallRecord } from "../contract.ts";
import type { AuditBatch, AuditStore } from "./audit-store.ts";
import { type ChainKey, intentText } from "./chain-code.ts";

/** What stands at one place of a chain: both, where a call that was about to run has not ended. */
export interface StoredLink {
  readonly seq: number;
  readonly call?: CallRecord;
  readonly entry?: AuditEntry;
}

/** What is wrong with a place, for people. */
export type LinkProblem = { readonly seq: number; readonly callId?: string } & (
  | {
      readonly kind: "missing";
      /** The last place of those that are missing. */
      readonly to: number;
    }
  | {
      readonly kind: "altered" | "doubled";
      /** Over all that stands there now. */
      readonly code: string;
    }
);

const PAGE = 500;

/**
 * The links of a chain beyond `after`, page by page, up to the last one that was there when the page was read: what a
 * process writes meanwhile is not half seen.
 */
export async function* readLinks(
  store: Pick<AuditStore, "tail" | "read">,
  chain: string,
  after: number,
): AsyncGenerator<readonly StoredLink[]> {
  for (let from = after; ; ) {
    const last = await store.tail(chain);
    if (!last || last.seq <= from) return;
    const links = merged(await store.read(chain, from, PAGE), last.seq);
    const end = links.at(-1);
    if (!end) return;
    yield links;
    from = end.seq;
  }
}

function merged({ calls, entries }: Pick<AuditBatch, "calls" | "entries">, last: number): StoredLink[] {
  // A full page says nothing about what comes after its end.
  const bound = Math.min(
    last,
    calls.length < PAGE ? last : calls.at(-1)!.seq!,
    entries.length < PAGE ? last : entries.at(-1)!.seq,
  );
  const links = new Map<number, StoredLink>();
  for (const call of calls) if (call.seq! <= bound) links.set(call.seq!, { seq: call.seq!, call });
  for (const entry of entries) {
    if (entry.seq <= bound) links.set(entry.seq, { ...links.get(entry.seq), seq: entry.seq, entry });
  }
  return [...links.values()].sort((a, b) => a.seq - b.seq);
}

/** Follows a chain from link to link. One thing that was changed is one problem: what follows is judged by itself. */
export class LinkCheck {
  readonly #key: ChainKey;
  #seq: number;
  /** The code that the next link was made with, where it is known: what stands there, and what should. */
  #before: readonly string[] | undefined;

  constructor(key: ChainKey, { prunedSeq, prunedMac }: AuditChain) {
    this.#key = key;
    this.#seq = prunedSeq;
    this.#before = [prunedMac];
  }

  get seq(): number {
    return this.#seq;
  }

  next(link: StoredLink): LinkProblem[] {
    const problems: LinkProblem[] = [];
    if (link.seq !== this.#seq + 1) {
      problems.push({ kind: "missing", seq: this.#seq + 1, to: link.seq - 1 });
      // With the one before it went what it could be judged by.
      this.#before = undefined;
    }
    const problem = this.#judge(link);
    if (problem) problems.push(problem);
    this.#seq = link.seq;
    return problems;
  }

  #judge(link: StoredLink): LinkProblem | undefined {
    const { call } = link;
    // Beside a call only its own intent may stand.
    const isDoubled = call !== undefined && link.entry !== undefined && link.entry.kind !== "intent";
    const entry = isDoubled ? undefined : link.entry;
    const stored = (entry ?? call)!.mac!;
    const codes = this.#before?.map((before) =>
      entry ? this.#key.ofEntry(before, entry) : this.#key.ofCall(before, call!),
    );
    const isAltered = codes !== undefined && !codes.includes(stored);
    // No more than two, however many are altered: the work would grow with each of them.
    this.#before = isAltered ? [stored, codes.at(-1)!] : [stored];
    if (isAltered) return this.#problem("altered", link);
    if (isDoubled) return this.#problem("doubled", link);
    if (!entry || !call) return undefined;
    const isSame = call.mac === entry.mac && intentText(call) === entry.details;
    return isSame ? undefined : this.#problem("altered", link);
  }

  #problem(kind: "altered" | "doubled", { seq, call, entry }: StoredLink): LinkProblem {
    let code = "";
    if (entry) code = this.#key.ofEntry(entry.mac, entry);
    if (call) code = this.#key.ofCall(`${code}${call.mac}`, call);
    return { kind, seq, code, ...(call && { callId: call.id }) };
  }
}
