import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { AuditCheck } from "../../../api/contract.ts";
import type { Run } from "../../shell.ts";

const POLL_MS = 100;
const REPORT_EVERY_MS = 2_000;

type Check = Exclude<AuditCheck, { state: "none" }>;
type Result = NonNullable<Check["result"]>;

export async function verifyAudit(run: Run, options: { acknowledge?: string }): Promise<number> {
  const { acknowledge } = options;
  const started = await run.send<AuditCheck>(
    "POST",
    "/api/audit/verify",
    acknowledge === undefined ? {} : { acknowledge },
  );
  const check = await waitForEnd(run, started);
  if (!check.result) throw new ToolkeepError("INTERNAL", check.error ?? "the check did not finish");
  run.print(check, formatResult(run, check.result));
  return check.result.found === 0 ? 0 : 1;
}

async function waitForEnd(run: Run, started: AuditCheck): Promise<Check> {
  const { terminal } = run;
  let check = started;
  let reportedAt = Date.now();
  let isLong = false;
  while (check.state === "running") {
    await sleep(POLL_MS, undefined, { signal: terminal.signal });
    check = await run.get<AuditCheck>("/api/audit/verify");
    if (check.state !== "running" || Date.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = Date.now();
    isLong = true;
    const progress = `checked ${check.checked} of about ${check.total} records`;
    terminal.err(terminal.interactive ? `\r\u001b[K${progress}` : `${progress}\n`);
  }
  if (isLong && terminal.interactive) terminal.err("\r\u001b[K");
  if (check.state === "none")
    throw new ToolkeepError(
      "INTERNAL",
      "the daemon restarted during the check; run toolkeep audit verify again",
    );
  return check;
}

function formatResult(run: Run, result: Result): string {
  const { checked, chains, findings, found, acknowledgedCount, unreadable, unchained, lost } = result;
  const parts = [
    `Checked ${checked} records in ${chains.length} ${chains.length === 1 ? "chain" : "chains"}: `,
    found === 0 ? "no problems.\n" : `${found} ${found === 1 ? "problem" : "problems"}.\n`,
  ];
  if (found > 0) {
    const rows = findings.map(({ kind, place, message }) => [kind, place, message]);
    parts.push(table(["KIND", "RECORD", "PROBLEM"], rows, run.terminal.columns));
  }
  if (found > findings.length) parts.push(`(showing the first ${findings.length})\n`);
  if (acknowledgedCount > 0) parts.push(`Acknowledged earlier: ${acknowledgedCount}.\n`);
  if (unreadable > 0) parts.push(`Not checked, because their key cannot be opened: ${unreadable} records.\n`);
  if (lost > 0)
    parts.push(`Lost while the store was unavailable, as recorded in the audit: ${lost} records.\n`);
  if (unchained > 0)
    parts.push(`Not protected, because they are older than the chains: ${unchained} calls.\n`);
  const foreignChains = chains.filter(({ own }) => !own).length;
  if (foreignChains > 0)
    parts.push(
      `Cut-off records cannot be detected in ${foreignChains} ${foreignChains === 1 ? "chain" : "chains"} of other homes.\n`,
    );
  return parts.join("");
}
