import type { SourceTest, SyncProblem } from "../contract.ts";
import type { FileReader, ReadDocument } from "../parse/read-job.ts";
import { reasonOf } from "../sources/reason.ts";
import type { Scanned } from "../sources/scan-folder.ts";
import type { SourcePlan } from "../sources/source-plan.ts";

export interface TestDeps {
  readonly reader: FileReader;
  readonly scan: (plan: SourcePlan) => Iterable<Scanned> | AsyncIterable<Scanned>;
}

const MAX_FILES = 10_000;
const MAX_READ = 5;
const MAX_PROBLEMS = 20;

/** Counts the files of a source up to a limit and reads a few. Changes nothing. */
export async function testSource(plan: SourcePlan, deps: TestDeps, signal: AbortSignal): Promise<SourceTest> {
  const sample: { key: string; title: string; chunks: number }[] = [];
  const problems: SyncProblem[] = [];
  const show = (document: ReadDocument) => {
    const { key, title, passages } = document;
    if (sample.length < MAX_READ) sample.push({ key, title, chunks: passages.length });
  };
  let files = 0;
  try {
    for await (const scanned of deps.scan(plan)) {
      signal.throwIfAborted();
      if (scanned.kind === "unseen") {
        problems.push({ key: scanned.key, reason: scanned.reason });
        continue;
      }
      if (++files > MAX_FILES)
        return { ok: true, files: MAX_FILES, more: true, sample, problems: problems.slice(0, MAX_PROBLEMS) };
      if (files > MAX_READ) continue;
      const { path, key, type, modifiedAt, size } = scanned;
      const end = await deps.reader
        .read({ path, key, type, modifiedAt, size, plan }, async (members) => {
          members.forEach(show);
          if (sample.length >= MAX_READ) throw new EnoughRead();
        })
        .catch((error: unknown) => {
          if (!(error instanceof EnoughRead)) throw error;
        });
      if (end?.kind === "read") show(end.document);
      if (end?.kind === "failed") problems.push({ key, reason: end.reason });
    }
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, error: reasonOf(error) };
  }
  return { ok: true, files, more: false, sample, problems: problems.slice(0, MAX_PROBLEMS) };
}

class EnoughRead extends Error {}
