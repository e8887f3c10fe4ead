import type { Clock } from "../../../lib/clock.ts";
import type { SourceReport, SourceTest, SyncProgress } from "../contract.ts";
import type { KnowledgeWriter } from "../index/index-record.ts";
import type { FileReader, ReadEnd, ReadJob } from "../parse/read-job.ts";
import { type CallSourceTool, readPlugin, scanPlugin } from "../sources/plugin-source.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import { syncSource } from "./sync-source.ts";
import type { SyncThread } from "./sync-thread.ts";
import { testSource } from "./test-source.ts";

export interface PluginSyncDeps {
  readonly thread: SyncThread;
  readonly call: CallSourceTool;
  readonly clock: Clock;
}

const KIND = /^plugin:([a-z][a-z0-9_-]{0,39})$/;

/** The prefix of the plugin's tool names; undefined for other kinds of sources. */
export function pluginPrefix(kind: string): string | undefined {
  const name = KIND.exec(kind)?.[1];
  return name === undefined ? undefined : `plugin_${name.replaceAll("-", "_")}_`;
}

/** Syncs like files, but a plugin lists and reads the documents. The thread parses and writes them. */
export function syncPlugin(
  source: { readonly id: string; readonly name: string; readonly prefix: string },
  deps: PluginSyncDeps,
  onProgress: (progress: SyncProgress) => void,
  signal: AbortSignal,
): Promise<SourceReport> {
  const { thread, call, clock } = deps;
  const reader = new PluginReader(source.prefix, deps, signal);
  const scan = () => scanPlugin(source.prefix, call, signal);
  const job = { sourceId: source.id, name: source.name, plan: NO_FILES };
  return syncSource(job, { writer: threadWriter(thread), reader, scan, clock, onProgress }, signal);
}

export function testPlugin(prefix: string, deps: PluginSyncDeps, signal: AbortSignal): Promise<SourceTest> {
  const reader = new PluginReader(prefix, deps, signal);
  return testSource(NO_FILES, { reader, scan: () => scanPlugin(prefix, deps.call, signal) }, signal);
}

/** Documents of plugins have no members. */
const NO_FILES: SourcePlan = {
  ...{ kind: "folder", root: "", isFile: false, ignore: [], gitignore: false, hidden: false },
  ...{ maxFileBytes: 0, maxFiles: 0, excluded: [] },
};

class PluginReader implements FileReader {
  readonly #prefix: string;
  readonly #deps: PluginSyncDeps;
  readonly #signal: AbortSignal;
  /** One call at a time, so that the plugin is not flooded. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(prefix: string, deps: PluginSyncDeps, signal: AbortSignal) {
    this.#prefix = prefix;
    this.#deps = deps;
    this.#signal = signal;
  }

  read(job: ReadJob): Promise<ReadEnd> {
    const end = this.#work.then(() => this.#read(job));
    this.#work = end.catch(() => {});
    return end;
  }

  async close(): Promise<void> {}

  async #read({ key, knownHash, modifiedAt, size }: ReadJob): Promise<ReadEnd> {
    this.#signal.throwIfAborted();
    const { call, thread, clock } = this.#deps;
    const given = await readPlugin(this.#prefix, key, call, this.#signal);
    if (!given.ok) return { kind: "failed", reason: given.error, lasting: false };
    const document = await thread.parse(key, given.value, modifiedAt || clock());
    const state = { modifiedAt, size };
    return document.hash === knownHash ? { kind: "same", ...state } : { kind: "read", document, ...state };
  }
}

function threadWriter(thread: SyncThread): KnowledgeWriter {
  return {
    known: (...args) => thread.index("known", args) as ReturnType<KnowledgeWriter["known"]>,
    write: (...args) => thread.index("write", args) as Promise<void>,
    touch: (...args) => thread.index("touch", args) as Promise<void>,
    bury: (...args) => thread.index("bury", args) as Promise<void>,
    forget: (sourceId) => thread.forget(sourceId),
  };
}
