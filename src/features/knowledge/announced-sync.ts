import type { Events } from "../../contract/events.ts";
import type { SourceRecord, SyncProgress } from "./contract.ts";
import type { KnowledgeSync } from "./knowledge.ts";

export interface AnnouncedDeps {
  readonly sync: KnowledgeSync;
  readonly events: Events;
  /** Called after the index may have changed. */
  readonly onSynced: () => void;
}

/**
 * Emits events about a sync, and makes sure that the inbox is among its sources. There are no events about sources with
 * a label, because every viewer of the dashboard receives events.
 */
export function announcedSync({ sync, events, onSynced }: AnnouncedDeps): KnowledgeSync {
  const changed = (
    { name, label }: Pick<SourceRecord, "name" | "label">,
    change: "added" | "changed" | "removed",
  ) => {
    if (label === null) events.emit("source.changed", { source: name, change });
  };
  const named = async (name: string) => (await sync.sources()).find((source) => source.name === name);

  return {
    async sync(request) {
      await sync.inbox();
      const open = new Set(
        (await sync.sources()).flatMap(({ name, label }) => (label === null ? [name] : [])),
      );
      const onProgress = (progress: SyncProgress) => {
        if (open.has(progress.source)) events.emit("sync.progress", progress);
        request.onProgress?.(progress);
      };
      const outcome = await sync.sync({ ...request, onProgress });
      if (outcome.skipped) return outcome;
      onSynced();
      for (const { problems: _, ...report } of outcome.sources)
        if (open.has(report.source)) events.emit("sync.ended", report);
      return outcome;
    },
    async status(access) {
      await sync.inbox();
      return sync.status(access);
    },
    test: (kind, config, signal) => sync.test(kind, config, signal),
    async addSource(source) {
      const added = await sync.addSource(source);
      changed(added, "added");
      return added;
    },
    async changeSource(name, change) {
      const after = await sync.changeSource(name, change);
      changed(after, "changed");
      return after;
    },
    async removeSource(name) {
      const before = await named(name);
      await sync.removeSource(name);
      onSynced();
      if (before) changed(before, "removed");
    },
    async sources() {
      await sync.inbox();
      return sync.sources();
    },
    inbox: () => sync.inbox(),
    close: () => sync.close(),
  };
}
