import { failed, output } from "../../../contract/define-tool.ts";
import type { JsonSchema, Tool, ToolContext, ToolResult } from "../../../contract/tool.ts";
import type { EmbeddingProgress, SourceReport, SyncOutcome, SyncProgress } from "../contract.ts";
import type { SourceStatus } from "../knowledge.ts";
import { iso, type KnowledgeToolsDeps, knowledgeTool } from "./knowledge-tool.ts";
import { syncedWithin } from "./synced-within.ts";

/** How long a call waits for a sync. The sync continues in the background. */
const WAIT_MS = 240_000;
const LEAST_STEP = 0.001;
const SOURCE: JsonSchema = { type: "string", maxLength: 100, description: "Only this source, by name" };

/** Syncs sources and shows their status. */
export function createSyncTools(deps: KnowledgeToolsDeps): readonly Tool[] {
  return [
    syncTool(deps, {
      name: "sync",
      title: "Sync",
      description:
        "Bring the sources up to date, one run at a time: says that it was skipped where another run is under way",
      waits: false,
    }),
    syncTool(deps, {
      name: "sync_run",
      title: "Run a sync",
      description: "Bring the sources up to date: waits for another run that is under way, then runs",
      waits: true,
    }),
    statusTool(deps),
  ];
}

function syncTool(
  { sync, reachOf }: KnowledgeToolsDeps,
  { waits, ...about }: { name: string; title: string; description: string; waits: boolean },
): Tool {
  return knowledgeTool<{ readonly source?: string }>({
    ...about,
    properties: { source: SOURCE },
    required: [],
    scope: "sync",
    timeoutMs: WAIT_MS + 30_000,
    async run({ source }, context) {
      const { access } = reachOf(context.caller);
      const ended = sync.sync({
        access,
        waits,
        ...(source !== undefined && { source }),
        onProgress: tellProgress(context),
      });
      const outcome = await syncedWithin(ended, WAIT_MS, context);
      if (outcome === undefined)
        return output("It goes on in the background. sync_status says how far it is.", {
          skipped: false,
          running: true,
        });
      return renderOutcome(outcome);
    },
  });
}

function statusTool({ sync, reachOf }: KnowledgeToolsDeps): Tool {
  return knowledgeTool<Record<never, never>>({
    name: "sync_status",
    title: "Sync status",
    description: "Health and status of the sources: what they hold, how the last sync ended, what runs now",
    properties: {},
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    scope: "sync",
    async run(_, { caller }) {
      const sources = await sync.status(reachOf(caller).access);
      const text =
        sources.map(statusText).join("\n") ||
        "There is no source yet. A person adds one: toolkeep source add";
      return output(text, { sources: sources.map(shownStatus) });
    },
  });
}

function renderOutcome(outcome: SyncOutcome): ToolResult {
  if (outcome.skipped)
    return output(`Skipped: ${outcome.reason}.`, { skipped: true, reason: outcome.reason });
  const { sources } = outcome;
  if (sources.length > 0 && sources.every(({ ok }) => !ok)) return failed(sources.map(reportText).join("\n"));
  const text =
    sources.map(reportText).join("\n") ||
    "There is no source to sync. A person adds one: toolkeep source add";
  return output(text, { skipped: false, sources: sources.map(shownReport) });
}

/** Counts files over all sources. MCP requires each update to be greater than the last, even if only the message changed. */
function tellProgress({ progress }: Pick<ToolContext, "progress">): (update: SyncProgress) => void {
  let before = 0;
  let last: SyncProgress | undefined;
  let reported = 0;
  return (update) => {
    if (last && last.source !== update.source) before += last.seen;
    last = update;
    reported = Math.max(before + update.seen, reported + LEAST_STEP);
    const isCounted = update.phase !== "scanning" && update.total !== undefined;
    progress({
      progress: reported,
      ...(isCounted && { total: Math.max(before + update.total, reported) }),
      message: progressText(update),
    });
  };
}

function progressText({ source, phase, seen, total, added, changed, rate }: SyncProgress): string {
  const speed = `${Math.round(rate)} files a second`;
  if (phase === "scanning") return `${source}: scanning, ${total ?? 0} files found, ${speed}`;
  const files = `${seen}${total === undefined ? "" : ` of ${total}`} files`;
  return `${source}: ${phase}, ${files}, ${added + changed} new or changed, ${speed}`;
}

function reportText(report: SourceReport): string {
  const { source, ok, error, added, changed, unchanged, gone, failed: broken, durationMs } = report;
  if (!ok) return `${source}: failed, nothing was taken away: ${error ?? "no reason was given"}`;
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged, ${gone} gone`;
  const problems = broken === 0 ? "" : `, ${broken} could not be read`;
  return `${source}: ${counts}${problems}, ${(durationMs / 1_000).toFixed(1)} s`;
}

function shownReport({ durationMs, ...report }: SourceReport) {
  return { ...report, duration_ms: durationMs };
}

function statusText(status: SourceStatus): string {
  const { source, entities, chunks, embedded, embedding } = status;
  const { running, lastSync, lastSyncAt } = status;
  const vectors = `${embedded} with vectors${embedding ? embeddingText(embedding) : ""}`;
  const holds = `${source.name} (${source.kind}): ${entities} documents, ${chunks} chunks, ${vectors}`;
  if (running) return `${holds}; syncing, ${progressText(running)}`;
  if (!lastSync || lastSyncAt === null) return `${holds}; never synced`;
  return `${holds}; synced ${iso(lastSyncAt)}${lastSync.ok ? "" : `, which failed: ${lastSync.error}`}`;
}

function embeddingText({ left, rate }: EmbeddingProgress): string {
  return `, ${left} left${rate > 0 ? ` at ${Math.round(rate)} chunks a second` : ""}`;
}

function shownStatus({ source, lastSync, lastSyncAt, ...status }: SourceStatus) {
  const { entities, chunks, embedded, running, embedding } = status;
  return {
    source: source.name,
    kind: source.kind,
    enabled: source.enabled,
    entities,
    chunks,
    embedded,
    last_sync: lastSync && shownReport(lastSync),
    last_sync_at: lastSyncAt === null ? null : iso(lastSyncAt),
    running,
    ...(embedding && { embedding }),
  };
}
