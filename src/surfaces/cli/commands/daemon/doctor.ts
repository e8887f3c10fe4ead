import type { Command } from "commander";
import { messageOf } from "../../../../contract/errors.ts";
import type { Check } from "../../../../contract/health.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { CheckList, ServerList } from "../../../api/contract.ts";
import type { Run, Shell } from "../../shell.ts";

const MARKS: Readonly<Record<Check["state"], string>> = { ok: "✓", warning: "!", failed: "✗" };

export function doctorCommand(shell: Shell): Command {
  return shell.single(
    "doctor",
    "Check this installation",
    "Check this installation and show how to fix what is wrong. Exits with 1 if something is.",
    doctor,
  );
}

async function doctor(run: Run): Promise<number> {
  const { checkInstallation } = await import("../../../daemon/doctor.ts");
  const { checkServers } = await import("../../../../features/admin/check-servers.ts");
  const { env, cwd, signal } = run.terminal;
  const checks = await run.progress("checking", checkInstallation({ env, cwd, signal }));
  const isSound = checks.every((check) => check.state !== "failed");
  // With a broken store or broken settings the servers cannot be listed.
  if (isSound) checks.push(...(await runServerChecks(run, checkServers)));
  const failed = checks.filter((check) => check.state === "failed").length;
  run.print({ ok: failed === 0, checks }, checks.map(formatCheck).join("") + formatVerdict(failed));
  return failed === 0 ? 0 : 1;
}

async function runServerChecks(
  run: Run,
  checkServers: (servers: ServerList["servers"], env: NodeJS.ProcessEnv) => Promise<Check[]>,
): Promise<Check[]> {
  try {
    const { servers } = await run.get<ServerList>("/api/servers");
    const { checks } = await run.get<CheckList>("/api/checks");
    return [...checks, ...(await checkServers(servers, run.terminal.env))];
  } catch (error) {
    return [
      {
        name: "servers",
        state: "failed",
        detail: messageOf(error),
        remedy: "Run toolkeep serve to see more.",
      },
    ];
  }
}

function formatCheck({ name, state, detail, remedy }: Check): string {
  return `${MARKS[state]} ${name}: ${detail}\n${remedy ? `    ${remedy}\n` : ""}`;
}

function formatVerdict(failed: number): string {
  return failed === 0 ? "\nNo problems found.\n" : `\n${counted(failed, "problem")} found.\n`;
}
