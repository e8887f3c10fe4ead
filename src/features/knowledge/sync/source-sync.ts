import { mkdir } from "node:fs/promises";
import { messageOf, ToolkeepError } from "../../../contract/errors.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { NewId } from "../../../lib/id.ts";
import type { Log } from "../../../lib/log.ts";
import type { Sharing } from "../../../machine/db/sharing.ts";
import { canSee } from "../access.ts";
import type { SourceRecord, SourceReport, SourceTest, SyncOutcome, SyncProgress } from "../contract.ts";
import type { Access, KnowledgeSync, SourceStatus, SyncRequest } from "../knowledge.ts";
import { inboxFolder, planSource } from "../sources/plan-source.ts";
import type { CallSourceTool } from "../sources/plugin-source.ts";
import type { SourceTable } from "../tables.ts";
import { type PluginSyncDeps, pluginPrefix, syncPlugin, testPlugin } from "./plugin-sync.ts";
import { SharedRun } from "./shared-run.ts";
import { SyncThread, type SyncThreadOptions } from "./sync-thread.ts";

export interface SyncDeps extends Pick<SyncThreadOptions, "parsing" | "worker"> {
  readonly home: string;
  readonly databaseUrl: string | null;
  readonly sources: SourceTable;
  readonly sharing: Pick<Sharing, "attempt" | "lead">;
  /** Calls the tools of plugins that are sources; absent: there are none. */
  readonly callSourceTool?: CallSourceTool;
  /** The counts of the index, by source id. */
  readonly counts?: () => Promise<ReadonlyMap<string, SourceCounts>>;
  /** See `ChunkEmbedding.rate`. */
  readonly embeddingRate?: () => number | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
}

export type SourceCounts = Pick<SourceStatus, "entities" | "chunks" | "embedded">;

/** The name of the lock that all processes on a database share. */
const JOB = "knowledge-sync";
const INBOX = "inbox";
const NOTHING: SourceCounts = { entities: 0, chunks: 0, embedded: 0 };
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;
const LABEL = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Syncs sources, one sync at a time over all processes. */
export class SourceSync implements KnowledgeSync {
  readonly #deps: SyncDeps;
  readonly #thread: SyncThread;
  readonly #stop = new AbortController();
  /** The current work of this process on the index. There is only one at a time. */
  #busy: Promise<unknown> | undefined;
  readonly #progress = new Map<string, SyncProgress>();
  /** Waiting runs, by what they sync. */
  readonly #next = new Map<string, SharedRun>();
  /** Whether a sync of this process is running. */
  #isSyncing = false;
  /** The source that is being read. */
  #current:
    | { readonly id: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
    | undefined;
  /** By the ids of sources. */
  readonly #removals = new Map<string, Promise<void>>();

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    const { home, databaseUrl, parsing, worker } = deps;
    this.#thread = new SyncThread({
      home,
      databaseUrl,
      ...(parsing && { parsing }),
      ...(worker && { worker }),
    });
  }

  async sync(request: SyncRequest): Promise<SyncOutcome> {
    await this.#chooseSources(request);
    if (!request.waits || !this.#busy) return this.#run(request);
    // Requests for the same sync share one run, because all of them came before it started.
    const { access, source } = request;
    const same = JSON.stringify([source, access.labels]);
    const begun = () => void this.#next.delete(same);
    const next =
      this.#next.get(same) ??
      new SharedRun((shared) => this.#run({ ...request, ...shared }, begun).finally(begun));
    this.#next.set(same, next);
    return next.join(request);
  }

  async #run(request: SyncRequest, onBegun: () => void = () => {}): Promise<SyncOutcome> {
    const reports: SourceReport[] = [];
    const done = await this.#runAlone(request, async (signal) => {
      onBegun();
      reports.length = 0;
      this.#isSyncing = true;
      try {
        for (const source of await this.#chooseSources(request))
          if (!this.#removals.has(source.id)) reports.push(await this.#syncOne(source, request, signal));
      } finally {
        this.#isSyncing = false;
        await Promise.allSettled(this.#removals.values());
      }
    });
    if (done) return { skipped: false, sources: reports };
    return { skipped: true, reason: "another sync is under way" };
  }

  async status(access: Access): Promise<readonly SourceStatus[]> {
    const [sources, counts] = await Promise.all([this.#deps.sources.list(), this.#deps.counts?.()]);
    const rate = this.#deps.embeddingRate?.();
    return sources
      .filter((source) => canSee(access, source.label))
      .map(({ id, name, kind, label, enabled, lastSync }) => ({
        source: { id, name, kind, label, enabled },
        ...(counts?.get(id) ?? NOTHING),
        ...embeddingOf(counts?.get(id) ?? NOTHING, rate),
        lastSync: lastSync as SourceReport | null,
        lastSyncAt: typeof lastSync?.at === "number" ? lastSync.at : null,
        running: this.#progress.get(id) ?? null,
      }));
  }

  async test(
    kind: string,
    config: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<SourceTest> {
    const prefix = pluginPrefix(kind);
    const plugins = this.#plugins;
    if (prefix !== undefined && plugins) return testPlugin(prefix, plugins, signal ?? this.#stop.signal);
    const plan = await planSource(kind, config, this.#deps.home);
    return plan.ok ? this.#thread.test(plan.value, signal) : { ok: false, error: plan.error };
  }

  async addSource(source: Parameters<KnowledgeSync["addSource"]>[0]): Promise<SourceRecord> {
    const { name, kind, config, label = null } = source;
    await this.#check({ name, kind, config, label });
    const { clock, newId, sources } = this.#deps;
    const now = clock();
    const record = {
      ...{ id: newId("src"), name, kind, config, label, enabled: true, lastSync: null },
      ...{ createdAt: now, updatedAt: now },
    };
    await sources.create(record);
    return record;
  }

  async changeSource(
    name: string,
    change: Parameters<KnowledgeSync["changeSource"]>[1],
  ): Promise<SourceRecord> {
    const before = await this.#findSource(name);
    const after = { ...before, ...change, updatedAt: this.#deps.clock() };
    await this.#check({ ...after, config: change.config ? after.config : undefined });
    await this.#deps.sources.update(before.id, { ...change, updatedAt: after.updatedAt });
    return after;
  }

  async removeSource(name: string): Promise<void> {
    const { id } = await this.#findSource(name);
    // A running sync continues with the other sources and waits for the removal before it ends.
    if (!this.#isSyncing) return void (await this.#runAlone({ waits: true }, () => this.#forget(id)));
    const removal = this.#removals.get(id) ?? this.#forget(id).finally(() => this.#removals.delete(id));
    this.#removals.set(id, removal);
    await removal;
  }

  async #forget(id: string): Promise<void> {
    if (this.#current?.id === id) {
      this.#current.stop.abort(new Error("the source is removed"));
      await this.#current.ended.catch(() => {});
    }
    // Documents first: if this fails, the source still exists and can be removed again.
    await this.#thread.forget(id);
    await this.#deps.sources.delete(id);
  }

  sources(): Promise<readonly SourceRecord[]> {
    return this.#deps.sources.list();
  }

  async inbox() {
    const { home, sources } = this.#deps;
    const folder = inboxFolder(home);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const there = (await sources.list()).find(({ kind }) => kind === "inbox");
    return { folder, source: there ?? (await this.#addInbox()) };
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("Toolkeep is closing"));
    await this.#busy?.catch(() => {});
    await this.#thread.close();
  }

  async #syncOne(source: SourceRecord, request: SyncRequest, signal: AbortSignal): Promise<SourceReport> {
    const { clock, sources, log } = this.#deps;
    const { id, name } = source;
    const onProgress = (progress: SyncProgress) => {
      this.#progress.set(id, progress);
      request.onProgress?.(progress);
    };
    const stop = new AbortController();
    try {
      const ended = this.#read(source, onProgress, AbortSignal.any([signal, stop.signal]));
      this.#current = { id, stop, ended };
      const report = await ended;
      await sources.update(id, { lastSync: { ...report, at: clock() } });
      const { ok, error, seen, added, changed, gone, failed: broken, durationMs } = report;
      log.info(
        { source: name, ok, error, seen, added, changed, gone, failed: broken, durationMs },
        "knowledge: source synced",
      );
      return report;
    } catch (error) {
      signal.throwIfAborted();
      return failedReport(name, stop.signal.aborted ? "the source was removed" : messageOf(error));
    } finally {
      this.#current = undefined;
      this.#progress.delete(id);
    }
  }

  async #read(
    { id, name, kind, config }: SourceRecord,
    onProgress: (progress: SyncProgress) => void,
    signal: AbortSignal,
  ): Promise<SourceReport> {
    const prefix = pluginPrefix(kind);
    const plugins = this.#plugins;
    if (prefix !== undefined && plugins) return syncPlugin({ id, name, prefix }, plugins, onProgress, signal);
    const plan = await planSource(kind, config, this.#deps.home);
    if (!plan.ok) return failedReport(name, plan.error);
    return this.#thread.sync({ sourceId: id, name, plan: plan.value }, onProgress, signal);
  }

  get #plugins(): PluginSyncDeps | undefined {
    const { callSourceTool: call, clock } = this.#deps;
    return call && { thread: this.#thread, call, clock };
  }

  /** Runs `work` alone among all processes; false if the index is in use and `waits` is not set. */
  async #runAlone(
    { waits = false, signal }: Pick<SyncRequest, "waits" | "signal">,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const stop = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    while (this.#busy) {
      if (!waits) return false;
      await this.#busy.catch(() => {});
    }
    stop.throwIfAborted();
    const { sharing } = this.#deps;
    let isDone = false;
    const once = async (inner: AbortSignal) => {
      await work(inner);
      isDone = true;
    };
    const busy = waits ? sharing.lead(JOB, once, stop) : sharing.attempt(JOB, once, stop);
    this.#busy = busy;
    try {
      await busy;
    } finally {
      this.#busy = undefined;
    }
    stop.throwIfAborted();
    return isDone;
  }

  async #chooseSources({ source: name, access }: SyncRequest): Promise<SourceRecord[]> {
    if (name !== undefined) {
      const source = await this.#findSource(name);
      if (!canSee(access, source.label)) throw missingSourceError(name);
      return [source];
    }
    return (await this.#deps.sources.list()).filter(
      (source) => source.enabled && canSee(access, source.label),
    );
  }

  async #findSource(name: string): Promise<SourceRecord> {
    const source = await this.#deps.sources.byName(name);
    if (!source) throw missingSourceError(name);
    return source;
  }

  async #addInbox(): Promise<SourceRecord> {
    const { sources } = this.#deps;
    try {
      return await this.addSource({ name: INBOX, kind: "inbox", config: {} });
    } catch (error) {
      // Another process was faster, or the name is used for another source.
      const there = (await sources.list()).find(({ kind }) => kind === "inbox");
      if (there) return there;
      throw error;
    }
  }

  async #check(source: {
    readonly name: string;
    readonly kind: string;
    readonly config: Readonly<Record<string, unknown>> | undefined;
    readonly label: string | null;
  }): Promise<void> {
    const { name, kind, config, label } = source;
    if (!NAME.test(name)) throw new ToolkeepError("NAME_INVALID", `"${name}" is no name for a source.`);
    if (label !== null && !LABEL.test(label))
      throw new ToolkeepError(
        "BAD_REQUEST",
        `"${label}" is no label: small letters, digits, - and _, at most 40.`,
      );
    if (pluginPrefix(kind) !== undefined && this.#plugins) return;
    const plan = config && (await planSource(kind, config, this.#deps.home));
    if (plan && !plan.ok) throw new ToolkeepError("BAD_REQUEST", `The source cannot be read: ${plan.error}.`);
  }
}

function embeddingOf({ chunks, embedded }: SourceCounts, rate: number | undefined) {
  const left = chunks - embedded;
  return rate !== undefined && left > 0 && { embedding: { done: embedded, left, rate } };
}

function missingSourceError(name: string): ToolkeepError {
  return new ToolkeepError("NOT_FOUND", `There is no source named "${name}".`);
}

function failedReport(source: string, error: string): SourceReport {
  const none = { seen: 0, added: 0, changed: 0, unchanged: 0, gone: 0, failed: 0, chunks: 0, bytes: 0 };
  return { source, ...none, ok: false, error, durationMs: 0, problems: [] };
}
