import { resolve } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../../../lib/clock.ts";
import { homeHere } from "../../home.ts";
import { mustConfirm } from "../../input/destructive.ts";
import type { Run, Shell } from "../../shell.ts";

export function restoreCommand(shell: Shell): Command {
  return shell
    .single(
      "restore",
      "fill a fresh home from a backup",
      "Fills a fresh home from what toolkeep backup wrote. No daemon may run on it.",
      restore,
      "toolkeep-backup.json.gz",
    )
    .argument("<file>", "what toolkeep backup wrote")
    .option("--force", "replace what the home holds")
    .option("--yes", "with --force: do not ask");
}

async function restore(
  run: Run,
  name: string,
  options: { force?: boolean; yes?: boolean },
): Promise<undefined> {
  const { env, cwd } = run.terminal;
  const { readBackup, restoreBackup } = await import("../../../daemon/backup.ts");
  const { loadHomeSettings } = await import("../../../../features.ts");
  if (options.force)
    await mustConfirm(run, options, `Replace everything that ${await homeHere(run.terminal)} holds?`);
  const backup = await readBackup(resolve(cwd, name));
  const { settings } = await loadHomeSettings({ env, cwd, isTrusted: () => false });
  const { home, databaseUrl } = settings;
  await restoreBackup(backup, { home, databaseUrl, env, clock: systemClock, force: options.force === true });
  run.print(
    { home, createdAt: backup.createdAt, version: backup.version },
    `Restored ${home} as it was on ${new Date(backup.createdAt).toISOString()}.\nNext: toolkeep serve\n`,
  );
}
