import { createHmacSha256 } from "../../../lib/hmac.ts";
import type { AuditChain, AuditEntry, CallRecord } from "../contract.ts";
import type { ChainPlace } from "./audit-store.ts";

type Place = Pick<CallRecord, "chain" | "seq">;

/** Makes the codes of a chain. What each one covers never changes: those that are stored must stay true. */
export class ChainKey {
  readonly #code: (text: string) => string;
  /** Tells keys apart and says nothing about them. */
  readonly id: string;
  readonly #others: readonly ChainKey[];

  /** `others`: those that are not written with any more, and check what was. */
  constructor(bytes: Buffer, others: readonly ChainKey[] = []) {
    this.#code = createHmacSha256(bytes);
    this.id = this.#code("key").slice(0, 12);
    this.#others = others;
  }

  /** The key that a chain was written with: this one, or one of the others; undefined: it cannot be opened. */
  named(id: string): ChainKey | undefined {
    return id === this.id ? this : this.#others.find((other) => other.id === id);
  }

  /** `place`: where the record stands, or will. */
  ofCall(before: string, call: CallRecord, { chain, seq }: Place = call): string {
    return this.#code(`call\0${before}\0${chain}\0${seq}${contentOf(call)}`);
  }

  ofEntry(before: string, entry: Omit<AuditEntry, "mac">): string {
    const { chain, seq, kind, at, actor, subject, details } = entry;
    const named = `${fieldText("actor", actor)}${fieldText("subject", subject)}`;
    return this.#code(
      `entry\0${before}\0${chain}\0${seq}\0${kind}\0${at}${named}${fieldText("details", details)}`,
    );
  }

  ofChain({ id, keyId, label, createdAt, prunedSeq, prunedMac }: Omit<AuditChain, "mac">): string {
    return this.#code(`chain\0${id}\0${keyId}\0${label}\0${createdAt}\0${prunedSeq}\0${prunedMac}`);
  }

  ofHead(chain: string, { seq, mac }: ChainPlace): string {
    return this.#code(`head\0${chain}\0${seq}\0${mac}`);
  }
}

/** What a record says, in this order; one that is added later comes last. */
const FIELDS = [
  "id",
  "agentId",
  "tokenId",
  "conversation",
  "via",
  "requested",
  "tool",
  "arguments",
  "decision",
  "rule",
  "outcome",
  "error",
  "startedAt",
  "durationMs",
  "person",
  "labels",
  "approvalId",
  "approvedBy",
  "steps",
] as const satisfies readonly (keyof CallRecord)[];

/** Without what is null, so that a field that is added later changes no code that is there. */
function contentOf(call: CallRecord): string {
  let text = "";
  for (const field of FIELDS) text += fieldText(field, call[field]);
  return text;
}

/** As the store gives it back: whole numbers, and no U+0000, which therefore can stand between fields. */
function fieldText(name: string, value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return `\0${name}\0${Math.round(value)}`;
  return `\0${name}\0${value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value}`;
}

/** What is kept of a call that is about to run, as JSON. The same for a record and for what the store gives back. */
export function intentText(call: CallRecord): string {
  const kept = FIELDS.filter((field) => call[field] !== null).map((field) => {
    const value = call[field]!;
    return [field, typeof value === "number" ? Math.round(value) : wellFormed(value)];
  });
  return JSON.stringify(Object.fromEntries(kept));
}

/** As both databases keep a text: without U+0000 and without halves of characters. */
function wellFormed(text: string): string {
  return Buffer.from(text.replaceAll("\0", "\uFFFD"), "utf8").toString("utf8");
}
