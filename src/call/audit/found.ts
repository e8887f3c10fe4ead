import type { AuditFinding, Verification } from "./contract.ts";

/** How many findings are listed, of the acknowledged and of the others. */
const MAX_LISTED = 200;
/** How many findings are held: acknowledgements are read later than the records that they are about. */
const MAX_KEPT = 10_000;

export type FoundResult = Pick<Verification, "findings" | "found" | "acknowledged" | "acknowledgedCount">;

/**
 * The findings of a check. An acknowledgement covers one finding, word for word: a later change at the same place has
 * another message, and counts.
 */
export class Found {
  readonly #findings = new Map<string, AuditFinding>();
  readonly #acknowledged = new Set<string>();
  #beyond = 0;

  add(finding: AuditFinding): void {
    const key = keyOf(finding);
    if (this.#findings.has(key)) return;
    if (this.#findings.size >= MAX_KEPT) this.#beyond += 1;
    else this.#findings.set(key, finding);
  }

  /** `details`: the stored details of the acknowledging record. */
  acknowledge(place: string, details: string): void {
    const { kind, message } = JSON.parse(details) as Partial<AuditFinding>;
    if (kind !== undefined && message !== undefined) this.#acknowledged.add(keyOf({ kind, place, message }));
  }

  get result(): FoundResult {
    const findings: AuditFinding[] = [];
    const acknowledged: AuditFinding[] = [];
    for (const [key, finding] of this.#findings)
      (this.#acknowledged.has(key) ? acknowledged : findings).push(finding);
    return {
      findings: findings.slice(0, MAX_LISTED),
      found: findings.length + this.#beyond,
      acknowledged: acknowledged.slice(0, MAX_LISTED),
      acknowledgedCount: acknowledged.length,
    };
  }
}

function keyOf({ kind, place, message }: Pick<AuditFinding, "kind" | "place" | "message">): string {
  return `${kind}\0${place}\0${message}`;
}
