/** What runs in the thread that brings the index up to date: it looks, compares and writes; files are read in a further thread. */
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../../contract/errors.ts";
import { systemClock } from "../../../lib/clock.ts";
import { type KnowledgeIndex, openIndex } from "../../../machine/db/tables/knowledge-index/open-index.ts";
import { knowledgeWriter } from "../indexing/knowledge-writer.ts";
import type { SyncProgress } from "../knowledge.ts";
import { parseText } from "../parse/parse-text.ts";
import { ParseThread, type ParseThreadOptions } from "../parse/parse-thread.ts";
import type { PluginDocument } from "../sources/plugin-source.ts";
import { listFolder, scanFolder } from "../sources/scan-folder.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import { type SyncJob, syncSource } from "./sync-source.ts";
import { testSource } from "./test-source.ts";

export interface SyncSetup {
  readonly home: string;
  readonly databaseUrl: string | null;
  readonly parsing?: Omit<ParseThreadOptions, "worker">;
}

export type ToSync =
  | { readonly type: "sync"; readonly id: number; readonly job: SyncJob }
  | { readonly type: "test"; readonly id: number; readonly plan: SourcePlan }
  | { readonly type: "forget"; readonly id: number; readonly sourceId: string }
  | {
      readonly type: "parse";
      readonly id: number;
      readonly key: string;
      readonly given: PluginDocument;
      readonly fallbackAt: number;
    }
  /** For documents that were not found here. */
  | {
      readonly type: "index";
      readonly id: number;
      readonly name: "known" | "write" | "touch" | "bury";
      readonly args: readonly unknown[];
    }
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "end" };

export type FromSync =
  | { readonly type: "progress"; readonly id: number; readonly progress: SyncProgress }
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

const port = parentPort!;
const setup = workerData as SyncSetup;
const running = new Map<number, AbortController>();
let index: Promise<KnowledgeIndex> | undefined;

lowerPriority();
port.on("message", (message: ToSync) => {
  if (message.type === "end") void end();
  else if (message.type === "abort") running.get(message.id)?.abort(new Error("it was cancelled"));
  else void answer(message);
});

async function answer(message: Exclude<ToSync, { readonly type: "abort" | "end" }>): Promise<void> {
  const { id } = message;
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const value = await perform(message, stop.signal);
    port.postMessage({ type: "done", id, value } satisfies FromSync);
  } catch (error) {
    port.postMessage({ type: "failed", id, message: messageOf(error) } satisfies FromSync);
  } finally {
    running.delete(id);
  }
}

async function perform(
  message: Exclude<ToSync, { readonly type: "abort" | "end" }>,
  signal: AbortSignal,
): Promise<unknown> {
  if (message.type === "forget") return (await writer()).forget(message.sourceId);
  if (message.type === "parse") return parseText(message.key, message.given, message.fallbackAt);
  if (message.type === "index") {
    const write: (...args: never[]) => Promise<unknown> = (await writer())[message.name];
    return write(...(message.args as never[]));
  }
  const reader = new ParseThread(setup.parsing);
  try {
    if (message.type === "test") return await testSource(message.plan, { reader, scan: scanFolder }, signal);
    const onProgress = (progress: SyncProgress) =>
      port.postMessage({ type: "progress", id: message.id, progress } satisfies FromSync);
    const folder = { scan: scanFolder, list: listFolder };
    const deps = { writer: await writer(), reader, ...folder, clock: systemClock, onProgress };
    return await syncSource(message.job, deps, signal);
  } finally {
    await reader.close();
  }
}

async function writer() {
  index ??= openIndex({ home: setup.home, databaseUrl: setup.databaseUrl, clock: systemClock });
  return knowledgeWriter((await index).writer);
}

async function end(): Promise<void> {
  await (await index?.catch(() => undefined))?.close();
  port.close();
}

/** See `parse-worker.ts`. */
function lowerPriority(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, 10);
  } catch {
    // Some containers forbid it.
  }
}
