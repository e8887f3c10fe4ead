import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type { ActionPage, AuditedCall, AuditPage, AuditTail, CallView } from "../../../api/contract.ts";
import { type AuditOptions, addFilterOptions, readFilters } from "../../input/audit-options.ts";
import { durationText } from "../../print/duration.ts";
import type { Run, Shell } from "../../shell.ts";
import { exportAudit } from "./audit-export.ts";
import { verifyAudit } from "./audit-verify.ts";

const POLL_MS = 1_000;

export function auditCommand(shell: Shell): Command {
  const audit = shell.group("audit", "See which calls ran and what people did");

  addFilterOptions(
    audit.leaf(
      "list",
      "List calls, newest first; with --actions, what people and Toolkeep did",
      listCalls,
      "--agent main --outcome denied --since 24h",
      "--actions --kind 'agent.*'",
    ),
  )
    .option("--limit <count>", "Maximum number to list (default: 100)")
    .option("--cursor <text>", "Continue where an earlier list ended");
  audit.leaf("show <id>", "Show a call", showCall, "call_0k2f");
  addFilterOptions(
    audit.leaf(
      "tail",
      "Show calls as they are recorded, until Ctrl-C; with --json, one per line",
      tailCalls,
      "--agent main",
    ),
    {
      actions: false,
    },
  );
  audit
    .leaf(
      "verify",
      "Check that nobody altered the audit; exits with 1 if somebody did",
      verifyAudit,
      "",
      "--acknowledge 'restored the disk by hand on Monday'",
    )
    .option("--acknowledge <reason>", "Mark the problems found as reviewed, with a reason");
  addFilterOptions(
    audit.leaf(
      "export",
      "Export calls as JSON lines, oldest first",
      exportAudit,
      "--since 7d --out audit.jsonl",
    ),
  ).option("--out <file>", "Write to a new file instead of standard output");
  return audit;
}

async function listCalls(
  run: Run,
  options: AuditOptions & { limit?: string; cursor?: string },
): Promise<undefined> {
  const { limit, cursor } = options;
  const search = query({ ...readFilters(options), limit, cursor });
  if (options.actions) return listActions(run, search);
  const page = await run.get<AuditPage>(`/api/audit${search}`);
  run.print(
    page,
    `${page.calls.length === 0 ? "No matching calls.\n" : formatCallTable(run, page.calls)}${formatNextPage(page.next)}`,
  );
}

async function listActions(run: Run, search: string): Promise<undefined> {
  const page = await run.get<ActionPage>(`/api/audit/actions${search}`);
  const rows = page.actions.map(({ chain, seq, kind, at, actor, subject, details }) => [
    `${chain}:${seq}`,
    ago(at, Date.now()),
    kind,
    actor ?? "toolkeep",
    subject,
    JSON.stringify(details),
  ]);
  const headings = ["RECORD", "WHEN", "KIND", "ACTOR", "SUBJECT", "DETAILS"];
  run.print(
    page,
    `${rows.length === 0 ? "No matching actions.\n" : table(headings, rows, run.terminal.columns)}${formatNextPage(page.next)}`,
  );
}

function formatCallTable(run: Run, calls: readonly CallView[]): string {
  const rows = calls.map((call) => [
    call.id,
    ago(call.startedAt, Date.now()),
    call.agent,
    call.tool ?? call.requested,
    call.decision,
    call.outcome ?? "running",
    call.durationMs === null ? null : durationText(call.durationMs),
    call.arguments,
  ]);
  return table(
    ["ID", "WHEN", "AGENT", "TOOL", "DECISION", "OUTCOME", "TOOK", "ARGUMENTS"],
    rows,
    run.terminal.columns,
  );
}

function formatNextPage(next: string | null): string {
  return next === null ? "" : `(more: --cursor ${next})\n`;
}

async function showCall(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<AuditedCall>(path`/api/audit/calls/${id}`);
  const { call, intent, timeline } = answer;
  run.print(
    answer,
    fields([
      ["id", call.id],
      ["started", new Date(call.startedAt).toISOString()],
      ["took", call.durationMs === null ? null : durationText(call.durationMs)],
      ["agent", call.agent],
      ["person", call.person],
      ["token", call.tokenId],
      ["conversation", call.conversation],
      ["via", call.via],
      ["tool", call.tool],
      ["requested", call.requested],
      ["arguments", call.arguments],
      ["labels", call.labels],
      ["decision", call.decision],
      ["rule", call.rule],
      ["approval", call.approvalId],
      ["approved by", call.approvedBy],
      ["outcome", call.outcome ?? "running, or interrupted when Toolkeep stopped"],
      ["error", call.error],
      [
        "steps",
        timeline.map(({ name, from, to }) => `${name} ${durationText((to - from) / 1_000)}`).join(", ") ||
          null,
      ],
      ["record", call.chain && `${call.chain}:${call.seq}`],
      ["recorded before it ran", intent && `${intent.chain}:${intent.seq}`],
    ]),
  );
}

async function tailCalls(run: Run, options: AuditOptions): Promise<undefined> {
  const { signal } = run.terminal;
  try {
    for (let cursor: string | undefined; ; ) {
      const page: AuditTail = await run.get(`/api/audit/tail${query({ ...readFilters(options), cursor })}`);
      cursor = page.cursor;
      run.terminal.out(
        page.calls.map((call) => (run.json ? `${JSON.stringify(call)}\n` : formatCall(call))).join(""),
      );
      await sleep(POLL_MS, undefined, { signal });
    }
  } catch (error) {
    // Ctrl-C is the normal way to end this command.
    if (!signal.aborted) throw error;
  }
}

function formatCall(call: CallView): string {
  const took = call.durationMs === null ? "" : ` ${durationText(call.durationMs)}`;
  const summary = `${call.agent}  ${call.tool ?? call.requested}  ${call.outcome ?? "running"}${took}`;
  return `${new Date(call.startedAt).toISOString()}  ${oneLine(`${summary}  ${call.error ?? call.arguments}`)}\n`;
}
