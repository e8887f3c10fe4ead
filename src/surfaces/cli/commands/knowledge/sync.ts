import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { SourceList, SourceView, SyncAnswer } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";
import { formatReport } from "./source.ts";

const POLL_MS = 300;

export function syncCommand(shell: Shell): Command {
  return shell
    .single(
      "sync",
      "Sync knowledge sources",
      "Sync every enabled source, or the given one: read new and changed documents and remove deleted ones from the index.",
      sync,
      "",
      "notes",
      "--status",
    )
    .argument("[source]", "Only this source")
    .option("--status", "Show the state of the sources without syncing");
}

async function sync(
  run: Run,
  source: string | undefined,
  { status = false }: { status?: boolean },
): Promise<number | undefined> {
  if (status) return showStatus(run, source);
  const body = { wait: true, ...(source !== undefined && { source }) };
  const answer = await watchProgress(run, run.send<SyncAnswer>("POST", "/api/sync", body));
  // Embedding starts in the background after a sync.
  const sources = run.json || answer.skipped ? [] : await getSources(run);
  run.print(answer, formatResult(answer) + formatEmbeddingNote(sources));
  return (answer.sources ?? []).some(({ ok }) => !ok) ? 1 : undefined;
}

async function showStatus(run: Run, source: string | undefined): Promise<undefined> {
  const all = (await run.get<SourceList>(`/api/sources${query({})}`)).sources;
  const sources = all.filter(({ name }) => source === undefined || name === source);
  const now = Date.now();
  const rows = sources.map(
    ({ name, entities, chunks, embedded, running, lastSync, lastSyncAt, embedding }) => [
      name,
      entities,
      chunks,
      embedding ? `${embedded}, ${embedding.left} left${formatSpeed(embedding.rate)}` : embedded,
      ago(lastSyncAt, now),
      running ? formatProgress([running]) : lastSync ? formatReport(lastSync) : "never synced",
    ],
  );
  run.print(
    { sources },
    table(["SOURCE", "DOCUMENTS", "CHUNKS", "VECTORS", "SYNCED", "STATE"], rows, run.terminal.columns),
  );
}

/** Shows progress in a terminal while the sync runs. */
async function watchProgress(run: Run, work: Promise<SyncAnswer>): Promise<SyncAnswer> {
  if (!run.terminal.interactive || run.json) return run.progress("Syncing", work);
  const ended = new AbortController();
  const watching = (async () => {
    while (!ended.signal.aborted) {
      await delay(POLL_MS, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      const sources = await getSources(run);
      const running = sources.flatMap((source) => source.running ?? []);
      const texts = [formatProgress(running), formatEmbedding(sources)].filter((text) => text !== "");
      if (running.length > 0 && !ended.signal.aborted)
        run.terminal.err(`\r\u001b[K${texts.join("; ").slice(0, run.terminal.columns - 1)}`);
    }
  })();
  try {
    return await work;
  } finally {
    ended.abort();
    await watching;
    run.terminal.err("\r\u001b[K");
  }
}

/** The sources, or none if the request fails: they are only for display. */
async function getSources(run: Run): Promise<readonly SourceView[]> {
  return (await run.get<SourceList>("/api/sources").catch(() => ({ sources: [] }))).sources;
}

function formatEmbeddingNote(sources: readonly SourceView[]): string {
  const text = formatEmbedding(sources);
  return text === "" ? "" : `In the background, ${text}. See progress: toolkeep sync --status\n`;
}

/** Sums up all sources, which are embedded one after the other. */
function formatEmbedding(sources: readonly SourceView[]): string {
  const all = sources.flatMap(({ embedding }) => embedding ?? []);
  if (all.length === 0) return "";
  const [done, left] = (["done", "left"] as const).map((name) =>
    all.reduce((sum, one) => sum + one[name], 0),
  );
  return `embedding: ${done} passages done, ${left} left${formatSpeed(all[0]!.rate)}`;
}

function formatSpeed(rate: number): string {
  return rate > 0 ? `, ${Math.round(rate)}/s` : "";
}

function formatProgress(running: readonly NonNullable<SourceView["running"]>[]): string {
  return running
    .map(({ source, phase, seen, total, added, changed, failed, rate }) => {
      if (phase === "scanning")
        return `${source}: scanning, ${counted(total ?? 0, "file")} found, ${Math.round(rate)}/s`;
      const files = total === undefined ? counted(seen, "file") : `${seen} of ${counted(total, "file")}`;
      const broken = failed === 0 ? "" : `, ${failed} not read`;
      return `${source}: ${phase}, ${files}, ${added} added, ${changed} changed${broken}, ${Math.round(rate)}/s`;
    })
    .join("; ");
}

function formatResult({ skipped, reason, sources = [] }: SyncAnswer): string {
  if (skipped) return `Skipped: ${reason}. See progress: toolkeep sync --status\n`;
  if (sources.length === 0)
    return "No sources to sync. Add a folder: toolkeep source add folder ~/notes --name notes\n";
  return sources
    .map((report) => {
      const problems = report.problems.slice(0, 5).map(({ key, reason: why }) => `  ${key}: ${why}\n`);
      return `${report.source}: ${formatReport(report)}\n${problems.join("")}`;
    })
    .join("");
}
