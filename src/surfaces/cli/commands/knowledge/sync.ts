import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "commander";
import { query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { SourceList, SourceView, SyncAnswer } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";
import { reportText } from "./source.ts";

const POLL_MS = 300;

export function syncCommand(shell: Shell): Command {
  return shell
    .single(
      "sync",
      "bring the sources of knowledge up to date",
      "Brings every enabled source, or the one that is named, up to date: what is new or changed is read, what vanished is forgotten.",
      sync,
      "",
      "notes",
      "--status",
    )
    .argument("[source]", "only this one")
    .option("--status", "say how up to date the sources are, and start nothing");
}

async function sync(
  run: Run,
  source: string | undefined,
  { status = false }: { status?: boolean },
): Promise<number | undefined> {
  if (status) return showStatus(run, source);
  const body = { wait: true, ...(source !== undefined && { source }) };
  const answer = await watched(run, run.send<SyncAnswer>("POST", "/api/sync", body));
  // It began behind the sync, if there is anything to do.
  const sources = run.json || answer.skipped ? [] : await sourcesNow(run);
  run.print(answer, told(answer) + embeddingTold(sources));
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
      embedding ? `${embedded}, ${embedding.left} left${speedText(embedding.rate)}` : embedded,
      ago(lastSyncAt, now),
      running ? progressText([running]) : lastSync ? reportText(lastSync) : "never synced",
    ],
  );
  run.print(
    { sources },
    table(["SOURCE", "DOCUMENTS", "CHUNKS", "VECTORS", "SYNCED", "STATE"], rows, run.terminal.columns),
  );
}

/** Shows how far it is while it runs, where a person looks on. */
async function watched(run: Run, work: Promise<SyncAnswer>): Promise<SyncAnswer> {
  if (!run.terminal.interactive || run.json) return run.progress("Syncing", work);
  const ended = new AbortController();
  const watching = (async () => {
    while (!ended.signal.aborted) {
      await delay(POLL_MS, undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      const sources = await sourcesNow(run);
      const running = sources.flatMap((source) => source.running ?? []);
      const texts = [progressText(running), embeddingText(sources)].filter((text) => text !== "");
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

/** None where they cannot be had: they are only looked at. */
async function sourcesNow(run: Run): Promise<readonly SourceView[]> {
  return (await run.get<SourceList>("/api/sources").catch(() => ({ sources: [] }))).sources;
}

function embeddingTold(sources: readonly SourceView[]): string {
  const text = embeddingText(sources);
  return text === "" ? "" : `In the background, ${text}. See how far it is: toolkeep sync --status\n`;
}

/** Of all sources: they get their vectors one behind the other. */
function embeddingText(sources: readonly SourceView[]): string {
  const all = sources.flatMap(({ embedding }) => embedding ?? []);
  if (all.length === 0) return "";
  const [done, left] = (["done", "left"] as const).map((name) =>
    all.reduce((sum, one) => sum + one[name], 0),
  );
  return `embedding: ${done} passages done, ${left} left${speedText(all[0]!.rate)}`;
}

function speedText(rate: number): string {
  return rate > 0 ? `, ${Math.round(rate)}/s` : "";
}

function progressText(running: readonly NonNullable<SourceView["running"]>[]): string {
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

function told({ skipped, reason, sources = [] }: SyncAnswer): string {
  if (skipped) return `Skipped: ${reason}. See how far it is: toolkeep sync --status\n`;
  if (sources.length === 0)
    return "There is no source to sync. Add a folder: toolkeep source add folder ~/notes --name notes\n";
  return sources
    .map((report) => {
      const problems = report.problems.slice(0, 5).map(({ key, reason: why }) => `  ${key}: ${why}\n`);
      return `${report.source}: ${reportText(report)}\n${problems.join("")}`;
    })
    .join("");
}
