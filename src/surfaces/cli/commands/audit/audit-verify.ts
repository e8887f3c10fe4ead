import { setTimeout as sleep } from "node:timers/promises";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { AuditCheck } from "../../../api/contract.ts";
import type { Run } from "../../shell.ts";

const LOOK_EVERY_MS = 100;
const SAY_EVERY_MS = 2_000;

type Check = Exclude<AuditCheck, { state: "none" }>;
type Result = NonNullable<Check["result"]>;

export async function verifyAudit(run: Run, options: { acknowledge?: string }): Promise<number> {
  const { acknowledge } = options;
  const begun = await run.send<AuditCheck>(
    "POST",
    "/api/audit/verify",
    acknowledge === undefined ? {} : { acknowledge },
  );
  const check = await ended(run, begun);
  if (!check.result) throw new ToolkeepError("INTERNAL", check.error ?? "the check was not finished");
  run.print(check, resultText(run, check.result));
  return check.result.found === 0 ? 0 : 1;
}

async function ended(run: Run, begun: AuditCheck): Promise<Check> {
  const { terminal } = run;
  let check = begun;
  let saidAt = Date.now();
  let isLong = false;
  while (check.state === "running") {
    await sleep(LOOK_EVERY_MS, undefined, { signal: terminal.signal });
    check = await run.get<AuditCheck>("/api/audit/verify");
    if (check.state !== "running" || Date.now() - saidAt < SAY_EVERY_MS) continue;
    saidAt = Date.now();
    isLong = true;
    const said = `checked ${check.checked} of about ${check.total} records`;
    terminal.err(terminal.interactive ? `\r\u001b[K${said}` : `${said}\n`);
  }
  if (isLong && terminal.interactive) terminal.err("\r\u001b[K");
  if (check.state === "none") throw new ToolkeepError("INTERNAL", "the daemon was started anew meanwhile");
  return check;
}

function resultText(run: Run, result: Result): string {
  const { checked, chains, findings, found, acknowledgedCount, unreadable, unchained, lost } = result;
  const parts = [
    `${checked} records in ${chains.length} ${chains.length === 1 ? "chain" : "chains"} checked: `,
    found === 0 ? "all are as they were written.\n" : `${found} ${found === 1 ? "problem" : "problems"}.\n`,
  ];
  if (found > 0) {
    const rows = findings.map(({ kind, place, message }) => [kind, place, message]);
    parts.push(table(["FOUND", "PLACE", "WHAT"], rows, run.terminal.columns));
  }
  if (found > findings.length) parts.push(`(the first ${findings.length} are shown)\n`);
  if (acknowledgedCount > 0) parts.push(`Acknowledged before: ${acknowledgedCount}.\n`);
  if (unreadable > 0)
    parts.push(`Written with a key that cannot be opened: ${unreadable} records cannot be checked.\n`);
  if (lost > 0) parts.push(`Lost while the store could not be used, as the audit says itself: ${lost}.\n`);
  if (unchained > 0) parts.push(`From before there were chains, and not vouched for: ${unchained} calls.\n`);
  const others = chains.filter(({ own }) => !own).length;
  if (others > 0)
    parts.push(`Of ${others} ${others === 1 ? "chain" : "chains"} the end is known to another home only.\n`);
  return parts.join("");
}
