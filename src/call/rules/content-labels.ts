import type { Caller } from "../../contract/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ContentLabelStore } from "../../machine/db/tables/trust/label-record.ts";
import type { Labels } from "./labels.ts";

export interface ContentLabelsDeps {
  readonly store: ContentLabelStore;
  readonly labels: Pick<Labels, "of" | "ofAgent">;
  readonly clock: Clock;
}

/** What is still read is noted anew after this, so that only what nobody reads any more is forgotten. */
const RENEWED_MS = 30 * 24 * 60 * 60 * 1_000;

/** Labels of what conversations leave for others: memories, tickets, notes, tasks, reports. By the ids of these. */
export class ContentLabels {
  readonly #deps: ContentLabelsDeps;

  constructor(deps: ContentLabelsDeps) {
    this.#deps = deps;
  }

  /** The labels of all of these together; the id of an agent stands for what it says now. */
  async of(ids: readonly string[]): Promise<readonly string[]> {
    const { store, labels, clock } = this.#deps;
    const found = await store.get(ids);
    const now = clock();
    const old = found.filter(({ labelledAt }) => now - labelledAt >= RENEWED_MS);
    if (old.length > 0) await store.put(old.map((record) => ({ ...record, labelledAt: now })));
    return [
      ...new Set([
        ...found.flatMap((record) => record.labels),
        ...ids.flatMap((id) => [...labels.ofAgent(id)]),
      ]),
    ];
  }

  /** The caller wrote these: whoever reads them reads what its conversation has come in touch with. */
  async wrote(caller: Caller, ids: readonly string[]): Promise<void> {
    const { store, labels, clock } = this.#deps;
    const own = caller.operator ? [] : [...labels.of(caller)];
    if (own.length === 0 || ids.length === 0) return;
    // A change leaves some of what was there before: labels are added, never taken away.
    const known = new Map((await store.get(ids)).map((record) => [record.id, record.labels]));
    const labelledAt = clock();
    await store.put(
      [...new Set(ids)].map((id) => ({
        id,
        labels: [...new Set([...(known.get(id) ?? []), ...own])],
        labelledAt,
      })),
    );
  }
}
