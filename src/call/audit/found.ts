import type { AuditFinding, Verification } from "./contract.ts";

/** What is listed, of what is acknowledged and of what is not. */
const MAX_LISTED = 200;
/** What is kept to be compared with what is acknowledged, which comes later than what it is about. */
const MAX_KEPT = 10_000;

export type FoundResult = Pick<Verification, "findings" | "found" | "acknowledged" | "acknowledgedCount">;

/**
 * What a check has found. An acknowledgement is of one finding, word for word: whatever happens at the same place later
 * reads differently, and counts.
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

  /** `details`: those of the record, as they are stored. */
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
