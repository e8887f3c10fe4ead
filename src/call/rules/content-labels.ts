import type { Caller } from "../../contract/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Labels } from "./labels.ts";
import type { ContentLabelTable } from "./tables.ts";

/** How long labels of content are kept after it was last written or read. */
export const CONTENT_LABELS_KEPT_MS = 365 * 24 * 60 * 60 * 1_000;

export interface ContentLabelsDeps {
  readonly store: Pick<ContentLabelTable, "get" | "put">;
  readonly labels: Pick<Labels, "forCaller" | "forAgent">;
  readonly clock: Clock;
}

/** Labels that are still read are renewed after this time, so that only those of unread content expire. */
const RENEW_AFTER_MS = 30 * 24 * 60 * 60 * 1_000;

/** Labels of what conversations leave for others (memories, tickets, notes, tasks, reports), by the ids of these. */
export class ContentLabels {
  readonly #deps: ContentLabelsDeps;

  constructor(deps: ContentLabelsDeps) {
    this.#deps = deps;
  }

  /** The labels of all these ids together; the id of an agent stands for its present labels. */
  async find(ids: readonly string[]): Promise<readonly string[]> {
    const { store, labels, clock } = this.#deps;
    const found = await store.get(ids);
    const now = clock();
    const old = found.filter(({ labelledAt }) => now - labelledAt >= RENEW_AFTER_MS);
    if (old.length > 0) await store.put(old.map((record) => ({ ...record, labelledAt: now })));
    return [
      ...new Set([
        ...found.flatMap((record) => record.labels),
        ...ids.flatMap((id) => [...labels.forAgent(id)]),
      ]),
    ];
  }

  /** Gives the labels of the caller's conversation to what it wrote, because readers come in touch with the same. */
  async labelWritten(caller: Caller, ids: readonly string[]): Promise<void> {
    const { store, labels, clock } = this.#deps;
    const own = caller.operator ? [] : [...labels.forCaller(caller)];
    if (own.length === 0 || ids.length === 0) return;
    // A change keeps some of the earlier content, so labels are added and never removed.
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
