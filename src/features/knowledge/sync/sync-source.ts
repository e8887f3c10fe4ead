import type { Clock } from "../../../lib/clock.ts";
import { createPace } from "../../../lib/flow/pace.ts";
import type { SourceReport, SyncProgress } from "../contract.ts";
import type { KnowledgeWriter, KnownEntity, NewEntity } from "../index/index-record.ts";
import type { FileReader, ReadDocument, ReadEnd } from "../parse/read-job.ts";
import { compareKeys } from "../sources/compare-keys.ts";
import { isContainer } from "../sources/file-type.ts";
import type { FoundFile, Scanned } from "../sources/scan-folder.ts";
import type { SourcePlan } from "../sources/source-plan.ts";
import { Batches } from "./batches.ts";
import { KnownKeys } from "./known-keys.ts";
import { SyncCount } from "./sync-count.ts";

export interface SyncJob {
  readonly sourceId: string;
  readonly name: string;
  readonly plan: SourcePlan;
}

export interface SyncDeps {
  readonly writer: KnowledgeWriter;
  readonly reader: FileReader;
  /** In the order of `compareKeys`. */
  readonly scan: (plan: SourcePlan) => Iterable<Scanned> | AsyncIterable<Scanned>;
  /** How many files the scan will find, as far as counted. Absent if counting is as much work as reading. */
  readonly list?: (plan: SourcePlan) => Iterable<number>;
  readonly clock: Clock;
  readonly onProgress: (progress: SyncProgress) => void;
}

/** How many files are requested ahead. */
const AHEAD = 32;
/** If a source had this many documents and now has none, its drive is probably missing, so nothing is deleted. */
const SUSPICIOUS = 20;
/** The most vanished keys kept in memory; the next sync finds the rest. */
const MAX_VANISHED = 200_000;
const FAILED = "failed: ";

/** A size that no file has. It is stored for a file that failed once in this state, so that it is tried again. */
const triedOnce = (size: number) => -1 - size;

/**
 * Brings the index of one source up to date. Found and known documents are compared in key order, so neither list has to
 * be in memory. Unchanged files are not read. If a run is interrupted, the next one completes it. Deleted documents are
 * removed last, and only if everything could be scanned. Resolves also if the sync failed; rejects only if `signal` aborts.
 */
export async function syncSource(job: SyncJob, deps: SyncDeps, signal: AbortSignal): Promise<SourceReport> {
  const count = new SyncCount(job.name, deps);
  const run = new SourceRun(job, deps, signal, count);
  try {
    await run.list();
    await run.compare();
    await run.bury();
    return count.report();
  } catch (error) {
    await run.giveUp(error);
    signal.throwIfAborted();
    return count.report(error);
  }
}

class SourceRun {
  readonly #job: SyncJob;
  readonly #deps: SyncDeps;
  readonly #signal: AbortSignal;
  readonly #count: SyncCount;
  readonly #known: KnownKeys;
  readonly #batches: Batches;
  readonly #vanished: string[] = [];
  readonly #reading = new Set<Promise<void>>();

  constructor(job: SyncJob, deps: SyncDeps, signal: AbortSignal, count: SyncCount) {
    this.#job = job;
    this.#deps = deps;
    this.#signal = signal;
    this.#count = count;
    this.#known = new KnownKeys(deps.writer, job.sourceId);
    this.#batches = new Batches(deps.writer, job.sourceId, deps.clock);
  }

  /** Only counts the files, for the progress. */
  async list(): Promise<void> {
    const pace = createPace();
    this.#count.tell("scanning");
    for (const files of this.#deps.list?.(this.#job.plan) ?? []) {
      await pace();
      this.#signal.throwIfAborted();
      this.#count.listed(files);
    }
  }

  async compare(): Promise<void> {
    const pace = createPace();
    for await (const scanned of this.#deps.scan(this.#job.plan)) {
      await pace();
      this.#signal.throwIfAborted();
      this.#batches.throwIfFailed();
      await this.#passVanished(scanned.key);
      if (scanned.kind === "unseen") {
        this.#count.problem(scanned.key, scanned.reason);
        // Documents that could not be scanned may still exist.
        await this.#known.skip((key) => key === scanned.key || isBelow(key, scanned.key));
      } else await this.#compareFile(scanned);
    }
    await this.#passVanished(undefined);
    await Promise.all(this.#reading);
    await this.#written();
  }

  /** Removes documents that were not found. */
  async bury(): Promise<void> {
    if (this.#count.seen === 0 && this.#vanished.length >= SUSPICIOUS)
      throw new Error(
        `there is nothing in it any more, where ${this.#vanished.length} documents were; if that is right, remove the source and add it again`,
      );
    await this.#bury(this.#vanished);
  }

  /** Writes what was read so far, unless writing failed or the sync was aborted. */
  async giveUp(reason: unknown): Promise<void> {
    if (this.#signal.aborted) this.#batches.fail(reason);
    else await Promise.all(this.#reading);
    await this.#batches.flush();
  }

  /** Notes the known keys before this one as vanished, because they were not found. */
  async #passVanished(before: string | undefined): Promise<void> {
    for (;;) {
      const known = await this.#known.peek();
      if (!known || (before !== undefined && compareKeys(known.key, before) >= 0)) return;
      if (this.#vanished.length < MAX_VANISHED) this.#vanished.push(known.key);
      this.#known.next();
    }
  }

  async #compareFile(found: FoundFile): Promise<void> {
    this.#count.saw(found.size);
    const first = await this.#known.peek();
    const known = first?.key === found.key ? first : undefined;
    if (known) this.#known.next();
    const isMany = isContainer(found.type);
    if (known && known.modifiedAt === found.modifiedAt && known.size === found.size) {
      if (isMany) await this.#known.skip((key) => isBelow(key, found.key));
      if (known.hash.startsWith(FAILED)) this.#count.problem(found.key, known.hash.slice(FAILED.length));
      else this.#count.unchanged += 1;
      return;
    }
    if (isMany) {
      // One at a time, because the known members are kept in memory.
      const members = await this.#known.take((key) => isBelow(key, found.key));
      await this.#readMany(found, known, members);
      return;
    }
    if (this.#reading.size >= AHEAD) await Promise.race(this.#reading);
    const reading = this.#readOne(found, known).finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  async #readOne(found: FoundFile, known: KnownEntity | undefined): Promise<void> {
    try {
      const end = await this.#deps.reader.read(this.#jobOf(found, known), NO_MEMBERS);
      if (end.kind === "read") await this.#write(end.document, end, known !== undefined);
      else if (end.kind !== "members") await this.#ended(found, known, end);
    } catch (error) {
      this.#batches.fail(error);
    }
  }

  async #readMany(
    found: FoundFile,
    known: KnownEntity | undefined,
    members: ReadonlyMap<string, string>,
  ): Promise<void> {
    const left = new Set(members.keys());
    const end = await this.#deps.reader.read(this.#jobOf(found, known), async (batch) => {
      this.#signal.throwIfAborted();
      for (const document of batch) {
        left.delete(document.key);
        if (members.get(document.key) !== document.hash)
          await this.#write(document, found, members.has(document.key));
      }
      this.#count.tell();
    });
    if (end.kind === "members") {
      for (const problem of end.problems) this.#count.problem(found.key, problem);
      for (const key of end.givenUp) left.delete(key);
      const { hash, modifiedAt, size } = end;
      if (known?.hash === hash) this.#count.unchanged += 1;
      // Removed members are deleted before the file counts as read, because the next run skips a file that counts as read.
      await this.#written();
      await this.#bury([...left]);
      const isTriedAgain = end.givenUp.length > 0 && !wasTried(known, end);
      await this.#batches.add(
        this.#marker(found, { hash, modifiedAt, size: isTriedAgain ? triedOnce(size) : size }),
      );
      await this.#written();
    } else if (end.kind !== "read") await this.#ended(found, known, end);
  }

  async #bury(keys: readonly string[]): Promise<void> {
    const { writer, clock } = this.#deps;
    for (let from = 0; from < keys.length; from += 500) {
      this.#signal.throwIfAborted();
      const some = keys.slice(from, from + 500);
      await writer.bury(this.#job.sourceId, some, clock());
      this.#count.gone += some.length;
      this.#count.tell();
    }
  }

  async #written(): Promise<void> {
    await this.#batches.flush();
    this.#batches.throwIfFailed();
  }

  async #write(
    document: ReadDocument,
    { modifiedAt, size }: { readonly modifiedAt: number; readonly size: number },
    isKnown: boolean,
  ): Promise<void> {
    const { passages, ...rest } = document;
    this.#count.wrote(isKnown, passages.length);
    await this.#batches.add({ ...rest, sourceId: this.#job.sourceId, modifiedAt, size, chunks: passages });
    this.#count.tell();
  }

  async #ended(
    found: FoundFile,
    known: KnownEntity | undefined,
    end: Extract<ReadEnd, { readonly kind: "same" | "failed" }>,
  ): Promise<void> {
    if (end.kind === "same") {
      this.#count.unchanged += 1;
      await this.#batches.touch({ key: found.key, modifiedAt: end.modifiedAt, size: end.size });
    } else {
      this.#count.problem(found.key, end.reason);
      const { key, modifiedAt } = found;
      const hash = FAILED + end.reason;
      const isLasting = end.lasting === "if again" ? wasTried(known, found) : end.lasting;
      // Stored without content, so that it is not tried again until it changes.
      if (isLasting) await this.#batches.add(this.#marker(found, { ...found, hash }));
      else if (end.lasting) {
        const size = triedOnce(found.size);
        if (known) await this.#batches.touch({ key, modifiedAt, size });
        else await this.#batches.add(this.#marker(found, { modifiedAt, size, hash }));
      }
    }
    this.#count.tell();
  }

  #jobOf({ path, key, type, modifiedAt, size }: FoundFile, known: KnownEntity | undefined) {
    return {
      path,
      key,
      type,
      modifiedAt,
      size,
      plan: this.#job.plan,
      ...(known && { knownHash: known.hash }),
    };
  }

  /** An entity for a file without content of its own. */
  #marker(
    { key, path, type }: FoundFile,
    state: { readonly hash: string; readonly modifiedAt: number; readonly size: number },
  ): NewEntity {
    const { hash, modifiedAt, size } = state;
    return {
      ...{ sourceId: this.#job.sourceId, key, title: key, type, tags: [], uri: path, metadata: {} },
      ...{ documentAt: modifiedAt, modifiedAt, size, hash, chunks: [] },
    };
  }
}

const NO_MEMBERS = async () => {};

/** Whether it failed in this state before. */
function wasTried(
  known: KnownEntity | undefined,
  { modifiedAt, size }: { readonly modifiedAt: number; readonly size: number },
): boolean {
  return known?.modifiedAt === modifiedAt && known.size === triedOnce(size);
}

function isBelow(key: string, folder: string): boolean {
  return folder === "" || (folder.endsWith("/") && key.startsWith(folder));
}
