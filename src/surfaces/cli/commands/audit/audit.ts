import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { path, query } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { oneLine } from "../../../../lib/terminal/printable.ts";
import { fields, table } from "../../../../lib/terminal/table.ts";
import type { ActionPage, AuditedCall, AuditPage, AuditTail, CallView } from "../../../api/contract.ts";
import { type AuditOptions, conditionsOf, withConditions } from "../../input/audit-options.ts";
import { durationText } from "../../print/duration.ts";
import type { Run, Shell } from "../../shell.ts";
import { exportAudit } from "./audit-export.ts";
import { verifyAudit } from "./audit-verify.ts";

const LOOK_EVERY_MS = 1_000;

export function auditCommand(shell: Shell): Command {
  const audit = shell.group("audit", "what happened: calls, and what people did");

  withConditions(
    audit.leaf(
      "list",
      "list calls, newest first; with --actions what was done beside them",
      list,
      "--agent main --outcome denied --since 24h",
      "--actions --kind 'agent.*'",
    ),
  )
    .option("--limit <count>", "how many at most; 100 unless given")
    .option("--cursor <text>", "read on from an earlier list");
  audit.leaf("show <id>", "show one call", show, "call_0k2f");
  withConditions(
    audit.leaf(
      "tail",
      "show calls as they are recorded, until Ctrl-C; with --json one a line",
      tail,
      "--agent main",
    ),
    {
      actions: false,
    },
  );
  audit
    .leaf(
      "verify",
      "check that the whole audit is as it was written; exit code 1 where it is not",
      verifyAudit,
      "",
      "--acknowledge 'restored the disk by hand on Monday'",
    )
    .option("--acknowledge <reason>", "what is found was looked at, and why it is as it is");
  withConditions(
    audit.leaf(
      "export",
      "write calls, oldest first, as JSON, one a line",
      exportAudit,
      "--since 7d --out audit.jsonl",
    ),
  ).option("--out <file>", "into a new file instead of standard output");
  return audit;
}

async function list(
  run: Run,
  options: AuditOptions & { limit?: string; cursor?: string },
): Promise<undefined> {
  const { limit, cursor } = options;
  const asked = query({ ...conditionsOf(options), limit, cursor });
  if (options.actions) return listActions(run, asked);
  const page = await run.get<AuditPage>(`/api/audit${asked}`);
  run.print(
    page,
    `${page.calls.length === 0 ? "No such calls.\n" : callTable(run, page.calls)}${more(page.next)}`,
  );
}

async function listActions(run: Run, asked: string): Promise<undefined> {
  const page = await run.get<ActionPage>(`/api/audit/actions${asked}`);
  const rows = page.actions.map(({ chain, seq, kind, at, actor, subject, details }) => [
    `${chain}:${seq}`,
    ago(at, Date.now()),
    kind,
    actor ?? "toolkeep",
    subject,
    JSON.stringify(details),
  ]);
  const headings = ["PLACE", "WHEN", "WHAT", "WHO", "TO", "DETAILS"];
  run.print(
    page,
    `${rows.length === 0 ? "Nothing of the kind.\n" : table(headings, rows, run.terminal.columns)}${more(page.next)}`,
  );
}

function callTable(run: Run, calls: readonly CallView[]): string {
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

function more(next: string | null): string {
  return next === null ? "" : `(there is more; read on with --cursor ${next})\n`;
}

async function show(run: Run, id: string): Promise<undefined> {
  const answer = await run.get<AuditedCall>(path`/api/audit/calls/${id}`);
  const { call, intent, timeline } = answer;
  run.print(
    answer,
    fields([
      ["id", call.id],
      ["began", new Date(call.startedAt).toISOString()],
      ["took", call.durationMs === null ? null : durationText(call.durationMs)],
      ["agent", call.agent],
      ["person", call.person],
      ["token", call.tokenId],
      ["conversation", call.conversation],
      ["via", call.via],
      ["tool", call.tool],
      ["asked for", call.requested],
      ["arguments", call.arguments],
      ["labels", call.labels],
      ["decision", call.decision],
      ["rule", call.rule],
      ["approval", call.approvalId],
      ["approved by", call.approvedBy],
      ["outcome", call.outcome ?? "running, or Toolkeep ended before it did"],
      ["error", call.error],
      [
        "steps",
        timeline.map(({ name, from, to }) => `${name} ${durationText((to - from) / 1_000)}`).join(", ") ||
          null,
      ],
      ["place", call.chain && `${call.chain}:${call.seq}`],
      ["written before it ran", intent && `${intent.chain}:${intent.seq}`],
    ]),
  );
}

async function tail(run: Run, options: AuditOptions): Promise<undefined> {
  const { signal } = run.terminal;
  try {
    for (let cursor: string | undefined; ; ) {
      const seen: AuditTail = await run.get(`/api/audit/tail${query({ ...conditionsOf(options), cursor })}`);
      cursor = seen.cursor;
      run.terminal.out(
        seen.calls.map((call) => (run.json ? `${JSON.stringify(call)}\n` : line(call))).join(""),
      );
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  } catch (error) {
    // Ctrl-C is how this ends.
    if (!signal.aborted) throw error;
  }
}

function line(call: CallView): string {
  const took = call.durationMs === null ? "" : ` ${durationText(call.durationMs)}`;
  const said = `${call.agent}  ${call.tool ?? call.requested}  ${call.outcome ?? "runs"}${took}`;
  return `${new Date(call.startedAt).toISOString()}  ${oneLine(`${said}  ${call.error ?? call.arguments}`)}\n`;
}
